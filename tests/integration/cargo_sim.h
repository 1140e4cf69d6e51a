/* Worlds of incompressible data that never change, for tests of loading. */
#ifndef LS_CARGO_SIM_H
#define LS_CARGO_SIM_H

#include <lockstep/world.h>

/* 230 kB, and 1 MB. */
enum { CARGO_CRATES = 3600, CARGO_LARGE_CRATES = 16000 };
extern const ls_sim cargo_sim, cargo_large_sim;

#endif
