/* Gets a simulation's description of its match: one line for people. */
#ifndef LS_DESCRIBE_H
#define LS_DESCRIBE_H

#include <lockstep/world.h>

#define LS_DESCRIBE_BYTES 256

/* Gives the text of the simulation's describe(), "" if it has no such function. The text is always
 * terminated.
 *   errors  USAGE: describe() wrote past its buffer, or its text is not terminated */
ls_status ls_describe(const ls_world *world, char text[LS_DESCRIBE_BYTES], ls_error *error);

#endif
