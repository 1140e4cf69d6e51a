/* Simulations with negligible or fixed cost, so that the network is what is measured. An input
 * is 4 to 8 arbitrary bytes. */
#ifndef LS_BENCH_PLAIN_SIM_H
#define LS_BENCH_PLAIN_SIM_H

#include <lockstep/sim.h>

/* Counts its inputs, 60 times a second. */
extern const ls_sim plain_sim;
/* The same at ten ticks a second, each of which keeps a thread busy for 50 ms. */
extern const ls_sim slow_sim;

#endif
