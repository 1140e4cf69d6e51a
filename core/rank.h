/* Whom to start first when several systems could: the one with the longest way still to go.
 *   source  upward rank of list schedulers (HEFT); docs/scheduler.md */
#ifndef LS_RANK_H
#define LS_RANK_H

#include "core/plan.h"

/* For the systems at positions `first` to `end` - 1, which are of one stage and slot: the longest
 * way in time from the start of the system to the end of the slot, over those that wait for it.
 * `times` and `ranks` are by position and in one unit. Only how long a tick takes may depend on
 * them. */
void ls_rank_upward(const ls_plan_system *systems, uint32_t first, uint32_t end,
                    const uint64_t *times, uint64_t *ranks);

#endif
