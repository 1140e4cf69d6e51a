/* The results of a system's run besides cells, compared with those of another run from the same
 * state: its commands, its pending despawns, the decision of a criterion. */
#ifndef LS_RUN_OUTCOME_H
#define LS_RUN_OUTCOME_H

#include "core/base/builder.h"
#include "core/base/sort.h"
#include "core/state/image.h"

/* `key` says what the record is, the bytes are its value; both in canonical order. */
typedef struct ls_run_outcome_record {
    uint32_t stream, kind, at, bytes;
    ls_entity entity;
    size_t offset; /* into `values` */
} ls_run_outcome_record;

typedef struct ls_run_outcome {
    ls_run_outcome_record *records;
    uint32_t count, capacity;
    ls_builder values;
    ls_sort_item *marks, *scratch; /* sorted: neither order nor repetition counts */
    uint32_t mark_count, mark_capacity;
    ls_decision decision;
} ls_run_outcome;

/* Takes the results of the system at `position`, which has run but not ended. The marks from
 * `first_mark` on are its own. Starts as {0}. */
void ls_run_outcome_take(ls_run_outcome *outcome, const ls_world *world, uint32_t position,
                         uint32_t first_mark);
void ls_run_outcome_reset(ls_run_outcome *outcome);
/* Says the first thing in which `b` differs from `a`; false when there is none. */
bool ls_run_outcome_differs(const ls_world *world, const ls_plan_system *plan,
                            const ls_run_outcome *a, const ls_run_outcome *b, ls_builder *text);

#endif
