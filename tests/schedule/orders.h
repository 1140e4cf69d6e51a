/* Chooses orders of systems, and runs a tick in a chosen order. */
#ifndef LS_TEST_ORDERS_H
#define LS_TEST_ORDERS_H

#include "tests/schedule/schedule.h"
#include <lockstep/world.h>

enum { ORDERS_MAX = 1024 };

typedef struct order {
    uint8_t positions[SYSTEMS_MAX];
} order;

typedef struct orders {
    uint32_t count;
    bool is_all;
    order list[ORDERS_MAX];
} orders;

/* Finds all orders that the program allows if there are at most `all_max`. Otherwise finds two
 * orders for each unordered pair, with the pair adjacent, and `random_count` orders drawn from
 * `seed`. */
void orders_find(const ls_program *program, uint32_t all_max, uint32_t random_count, uint64_t seed,
                 orders *found);
/* An order in which `first` runs directly before `second`, even if the program orders them the
 * other way. */
order order_beside(const ls_program *program, uint32_t first, uint32_t second);

/* Advances the world by one tick and returns the root after it. A NULL order leaves the order to
 * the executor. */
extern uint64_t
    order_calls; /* how often the engine asked for a system; 0 means that no order was tried */
extern uint64_t order_refusals; /* ticks after which an entity had two incompatible components */
extern uint64_t order_clashes;  /* ticks in which two matches clashed about a partner */
/* A tick that is refused has a number of its own instead of a root. */
uint64_t order_run(ls_world *world, const order *chosen, ls_executor *executor);

#endif
