/* Finds pairs of systems that could give different results in different orders. It has the conflict
 * matrix of docs/ecs-reference.md, and the rule by which filters separate two systems that access
 * one column. */
#ifndef LS_CONFLICT_H
#define LS_CONFLICT_H
#include "core/base/graph.h"
#include "core/schedule/program_data.h"

/* ls_conflict_next() walks the kinds in this order. Views of a par resolve conflicts of the kinds
 * before LS_CONFLICT_LANE only (core/schedule/pars_order.c). */
typedef enum ls_conflict_kind {
    LS_CONFLICT_COLUMN,   /* `index` is the column */
    LS_CONFLICT_EVENT,    /* `index` is the event type */
    LS_CONFLICT_LANE,     /* `index` is a lane that both spawn into */
    LS_CONFLICT_LIVENESS, /* one spawns into a lane in which the other matches all; `index` is 0 */
} ls_conflict_kind;

typedef struct ls_conflict {
    ls_conflict_kind kind;
    uint32_t index;
} ls_conflict;

/* The conflict matrix: whether two accesses (LS_TOUCH_ bits) to one column conflict. */
bool ls_touches_conflict(uint32_t one, uint32_t other);
/* Whether filters separate the two systems in the column: each accesses the column on its own
 * entities only, and no entity matches both systems. Either one system requires a component that
 * the other excludes: filters[0] and filters[1] are then both its column. Or `a` requires
 * filters[0] and `b` requires filters[1], which are incompatible. Neither system attaches or
 * detaches these components. */
bool ls_conflict_filter(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                        uint32_t column, uint32_t filters[2]);
/* Whether each of the two accesses the column on its own entities only, and LS_IN_LANE limits the
 * two to different lanes. Spawned entities are not considered. */
bool ls_conflict_lanes_differ(const ls_plan_system *a, const ls_plan_system *b, uint32_t column);
/* Whether the conflict ends if LS_IN_LANE limits query 0 of `finder` to a lane that `spawner` does
 * not spawn into. */
bool ls_conflict_ends_at_lanes(const ls_plan_system *spawner, const ls_plan_system *finder,
                               const ls_conflict *conflict);
/* The first lane that query 0 of `finder` may match and `spawner` does not spawn into; UINT32_MAX:
 * none. */
uint32_t ls_conflict_lane_past(const ls_program *program, const ls_plan_system *spawner,
                               const ls_plan_system *finder);
/* Finds every pair that the matrix requires to be ordered or kept apart in time: adds edges in both
 * directions between positions of program->systems. Filters, LS_IN_LANE and the rule of spawned
 * entities are not considered. Otherwise it finds the same pairs as ls_conflict_next(): a new kind
 * of conflict must be added to both functions. */
void ls_conflicts_find(const ls_program *program, ls_graph *conflicts);
/* Finds the next conflict of the two systems that neither a filter, nor LS_IN_LANE, nor the rule of
 * spawned entities removes; false when none is left. Zero `conflict` and `*at` before the first
 * call. */
bool ls_conflict_next(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                      uint32_t *at, ls_conflict *conflict);
/* For two systems in different sides of a par that accumulate into the column by the same
 * operation, so that their values could be combined: finds the first system that prevents this,
 * because it is in another side than one of them and conflicts with them in the column. `verb` gets
 * the word for what it does there, such as "reads". NULL: the two themselves conflict, or there is
 * no such system. */
const ls_plan_system *ls_conflict_third(const ls_program *program, const ls_plan_par *par,
                                        uint32_t one, uint32_t other, uint32_t column,
                                        const char **verb);
/* Describes the conflict in words: "the first writes and the second reads \"place\"". */
void ls_conflict_print(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                       const ls_conflict *conflict, char *text, size_t bytes);

#endif
