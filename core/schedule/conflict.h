/* Which pairs of systems could produce different results in different orders: the conflict matrix
 * of docs/ecs.md, and the rule by which filters keep two systems apart that name one column. */
#ifndef LS_CONFLICT_H
#define LS_CONFLICT_H
#include "core/base/graph.h"
#include "core/schedule/program_data.h"

typedef enum ls_conflict_kind {
    LS_CONFLICT_COLUMN,   /* `index` is the column */
    LS_CONFLICT_EVENT,    /* the event type */
    LS_CONFLICT_LANE,     /* both spawn into it */
    LS_CONFLICT_LIVENESS, /* one spawns, the other matches whoever lives */
} ls_conflict_kind;

typedef struct ls_conflict {
    ls_conflict_kind kind;
    uint32_t index;
} ls_conflict;

/* The matrix, for what two do with one column. */
bool ls_touches_conflict(uint32_t one, uint32_t other);
/* The component whose filter keeps the two systems apart in the column: each changes or reads only
 * its own entities there, one requires the component, the other excludes it, and neither attaches
 * or detaches it. UINT32_MAX when there is none. */
uint32_t ls_conflict_filter(const ls_plan_system *a, const ls_plan_system *b, uint32_t column);
/* Finds every pair that the matrix wants ordered, as edges both ways between positions of
 * program->systems. Filters are not considered. */
void ls_conflicts_find(const ls_program *program, ls_graph *conflicts);
/* Finds the next conflict of the two systems that no filter removes; false when there is none left.
 * `conflict` is zeroed before the first call, and `*at` is 0. */
bool ls_conflict_next(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                      uint32_t *at, ls_conflict *conflict);
/* The same in words: "the first writes and the second reads \"place\"". */
void ls_conflict_print(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                       const ls_conflict *conflict, char *text, size_t bytes);

#endif
