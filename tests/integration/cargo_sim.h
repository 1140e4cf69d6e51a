/* Worlds of incompressible, constant data, for tests of loading snapshots. */
#ifndef LS_CARGO_SIM_H
#define LS_CARGO_SIM_H

#include <lockstep/world.h>

/* Numbers of crates; snapshots of 230 kB, of 280 kB, the first size that counts as a whole one
 * (LS_SERVER_LOAD_BYTES_MIN), and of 1 MB. */
enum { CARGO_CRATES = 3600, CARGO_WHOLE_CRATES = 4400, CARGO_LARGE_CRATES = 16000 };
extern const ls_sim cargo_sim, cargo_whole_sim, cargo_large_sim;

#endif
