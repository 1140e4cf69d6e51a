/* Simulations with negligible or fixed cost, so that a bench measures the network. An input is 4 to
 * 8 arbitrary bytes. */
#ifndef LS_BENCH_PLAIN_SIM_H
#define LS_BENCH_PLAIN_SIM_H

#include <lockstep/sim.h>

/* Counts inputs, at 60 ticks a second. */
extern const ls_sim plain_sim;
/* Counts inputs too, at ten ticks a second; each tick keeps a thread busy for 50 ms. */
extern const ls_sim slow_sim;

#endif
