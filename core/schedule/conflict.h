/* Which pairs of systems could show in which order they ran: the conflict matrix of docs/ecs.md,
 * and the rule of filters that keeps two systems apart though they name one column. */
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
/* The component that keeps the two apart in the column: both change or read only their own entities
 * there, one requires what the other excludes, and neither attaches or detaches it. UINT32_MAX when
 * there is none. */
uint32_t ls_conflict_filter(const ls_plan_system *a, const ls_plan_system *b, uint32_t column);
/* Every pair that shares what the matrix has an order for, as edges both ways between positions of
 * program->systems; filters are not looked at. */
void ls_conflicts_find(const ls_program *program, ls_graph *conflicts);
/* The next thing that the two conflict over, and where the filters do not keep them apart: true
 * until there is none. `conflict` is zeroed before the first call, and `*at` is 0. */
bool ls_conflict_next(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                      uint32_t *at, ls_conflict *conflict);
/* The same in words: "the first writes and the second reads \"place\"". */
void ls_conflict_print(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                       const ls_conflict *conflict, char *text, size_t bytes);

#endif
