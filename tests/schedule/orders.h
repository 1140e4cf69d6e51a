/* Chooses orders of systems, and runs a tick in a chosen order. */
#ifndef LS_TEST_ORDERS_H
#define LS_TEST_ORDERS_H

#include "tests/schedule/schedule.h"
#include <lockstep/world.h>

enum { ORDERS_MAX = 1024 };

typedef struct order {
    uint8_t positions[POSITIONS_MAX];
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
/* The order of the program, but for one system that runs before the fork of the par or after its
 * merge. */
order order_around(const ls_program *program, uint32_t system, bool is_after);
/* The position of the par's fork, or with `is_merge` its merge; POSITIONS_MAX: there is none. */
uint32_t order_step(const ls_program *program, bool is_merge);

/* Advances the world by one tick and returns the root after it. A NULL order leaves the order to
 * the executor. */
extern uint64_t
    order_calls; /* how often the engine asked for a system; 0 means that no order was tried */
/* Why ticks were refused. */
typedef enum order_refusal {
    ORDER_INCOMPATIBLE, /* an entity had two incompatible components */
    ORDER_PARTNER,      /* two matches clashed about a partner */
    ORDER_PAR,          /* two sides of a par changed one cell */
    ORDER_ANCESTOR,     /* an entity became its own ancestor */
    ORDER_REFUSALS,
} order_refusal;
extern uint64_t order_refused[ORDER_REFUSALS];
/* A tick that is refused has a number of its own instead of a root. */
uint64_t order_run(ls_world *world, const order *chosen, ls_executor *executor);

#endif
