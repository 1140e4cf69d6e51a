/* The line that a simulation says about its match, for people. */
#ifndef LS_DESCRIBE_H
#define LS_DESCRIBE_H

#include <lockstep/world.h>

#define LS_DESCRIBE_BYTES 256

/* "" when the simulation has no describe(). The text always ends.
 *   errors  USAGE: it wrote past the bytes that it was given, or its text has no end */
ls_status ls_describe(const ls_world *world, char text[LS_DESCRIBE_BYTES], ls_error *error);

#endif
