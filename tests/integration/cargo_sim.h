/* Worlds of incompressible, constant data, for tests of loading snapshots. */
#ifndef LS_CARGO_SIM_H
#define LS_CARGO_SIM_H

#include <lockstep/world.h>

/* Numbers of crates; snapshots of 230 kB and 1 MB. */
enum { CARGO_CRATES = 3600, CARGO_LARGE_CRATES = 16000 };
extern const ls_sim cargo_sim, cargo_large_sim;

#endif
