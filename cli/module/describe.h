/* The line that a simulation says about its match, for people. */
#ifndef LS_DESCRIBE_H
#define LS_DESCRIBE_H

#include <lockstep/world.h>

#define LS_DESCRIBE_BYTES 256

/* Gives the text of the simulation's describe(), "" when it has none. The text is always
 * terminated.
 *   errors  USAGE: describe() wrote past its buffer, or its text is not terminated */
ls_status ls_describe(const ls_world *world, char text[LS_DESCRIBE_BYTES], ls_error *error);

#endif
