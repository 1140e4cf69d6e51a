/* Running a tick in an order of one's own choice, and choosing orders. */
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

/* All orders that the program allows when they are at most `all_max`. Otherwise two orders for each
 * unordered pair, in which the pair is adjacent, and `random_count` drawn from `seed`. */
void orders_find(const ls_program *program, uint32_t all_max, uint32_t random_count, uint64_t seed,
                 orders *found);
/* One in which the systems at `first` and `second` stand side by side, `first` first even if the
 * program has it the other way round. */
order order_beside(const ls_program *program, uint32_t first, uint32_t second);

/* One tick; the root behind it. In the given order, or for NULL as the executor does. */
extern uint64_t order_calls; /* how often the engine asked; 0 would mean that nothing is tried */
uint64_t order_run(ls_world *world, const order *chosen, ls_executor *executor);

#endif
