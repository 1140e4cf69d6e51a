/* Simulations that cost next to nothing, or a given time, so that what is measured is the network.
 * An input is 4 to 8 bytes of anything. */
#ifndef LS_BENCH_PLAIN_SIM_H
#define LS_BENCH_PLAIN_SIM_H

#include <lockstep/sim.h>

/* Counts its inputs, 60 times a second. */
extern const ls_sim plain_sim;
/* The same; each tick, ten a second, keeps a thread busy for 50 ms. */
extern const ls_sim slow_sim;

#endif
