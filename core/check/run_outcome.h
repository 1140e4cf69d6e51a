/* The results of a system's run other than cells: the records of what it defers (spawns, events,
 * accumulated values, commands), its marks for despawning, and the decision of a criterion. They
 * are compared with the results of another run from the same state. */
#ifndef LS_RUN_OUTCOME_H
#define LS_RUN_OUTCOME_H

#include "core/base/builder.h"
#include "core/base/sort.h"
#include "core/state/image.h"

/* A deferred record; records are in canonical order. The value has `bytes` bytes. */
typedef struct ls_run_outcome_record {
    uint32_t stream, kind, at, bytes;
    ls_entity entity;
    size_t offset; /* of the value in `values` */
} ls_run_outcome_record;

typedef struct ls_run_outcome {
    ls_run_outcome_record *records;
    uint32_t count, capacity;
    ls_builder values;
    ls_sort_item *marks, *scratch; /* sorted and unique: order and repetition do not matter */
    uint32_t mark_count, mark_capacity;
    ls_decision decision;
} ls_run_outcome;

/* Takes the results of the system at `position`, which has run but not ended. Its own marks begin
 * at `first_mark`. Initialize `outcome` with {0}. */
void ls_run_outcome_take(ls_run_outcome *outcome, const ls_world *world, uint32_t position,
                         uint32_t first_mark);
void ls_run_outcome_reset(ls_run_outcome *outcome);
/* The index of the first record that differs. If one list is the beginning of the other, that is
 * the length of the shorter list. */
uint32_t ls_run_outcome_first_record(const ls_run_outcome *a, const ls_run_outcome *b);
/* The first entity that only one side marks, and whether that is `a`; false when there is none. */
bool ls_run_outcome_first_mark(const ls_run_outcome *a, const ls_run_outcome *b, bool *is_in_a,
                               ls_entity *marked);
/* Describes in `text` the first difference between `a` and `b`; false when there is none. */
bool ls_run_outcome_differs(const ls_world *world, const ls_plan_system *plan,
                            const ls_run_outcome *a, const ls_run_outcome *b, ls_builder *text);

#endif
