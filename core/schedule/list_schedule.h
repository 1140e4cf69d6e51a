/* Ranks decide which of several ready systems starts first: the one with the longest path to the
 * end of the slot. They affect only the time of a tick.
 *   shape   `systems`, `times` and `ranks` are by position in the serial order; only the positions
 *           `first` to `end` - 1 are used, all of one stage and slot. The ready system with the
 *           highest rank starts first; among equals, the lowest position
 *   unit    times and ranks have the same unit, any
 *   source  upward rank of list schedulers (HEFT); double justification (Valls, Ballestin and
 *           Quintanilla 2005); docs/scheduler.md */
#ifndef LS_LIST_SCHEDULE_H
#define LS_LIST_SCHEDULE_H

#include "core/schedule/plan.h"

/* Sets the upward rank of each system: the longest time from its start to the end of the slot, over
 * all paths of systems that wait for it. */
void ls_list_schedule_upward(const ls_plan_system *systems, uint32_t first, uint32_t end,
                             const uint64_t *times, uint64_t *ranks);

typedef struct ls_list_schedule_job {
    const ls_plan_system *systems;
    uint32_t first, end;
    const uint64_t *times;
    uint32_t workers; /* 1 to LS_THREADS_MAX */
    uint32_t trials;  /* schedules to try besides the first one */
} ls_list_schedule_job;

/* A hold: an extra wait that no order requires. `later` does not start before `earlier` has ended.
 * It never makes a cycle with the order. Both members are LS_LIST_SCHEDULE_NONE when there is
 * none. */
#define LS_LIST_SCHEDULE_NONE UINT32_MAX
typedef struct ls_list_schedule_hold {
    uint32_t earlier, later;
} ls_list_schedule_hold;

/* The bytes of scratch memory for the functions below, for positions up to `end` - 1. The caller
 * owns it, aligned for uint64_t; its content is not kept between calls. */
size_t ls_list_schedule_scratch_bytes(uint32_t end);
/* A reasonable number of trials: more for few systems, where a trial is cheap and each system
 * matters. */
uint32_t ls_list_schedule_default_trials(uint32_t count);

/* A makespan is the time of the slot if each free worker starts the ready system with the highest
 * rank, and no system is split. Systems that are kept apart count as ordered, as in the executor.
 * Systems of the main thread count like others.
 *
 * Tries several ranks, keeps those with the shortest makespan, and returns that makespan. Keeps the
 * upward ranks unless others are better by more than times vary between ticks. Each trial costs one
 * step per edge and a few per system, so call it when average times are updated, not each tick. */
uint64_t ls_list_schedule_choose(const ls_list_schedule_job *job, uint64_t *ranks, void *scratch);

/* Tries holds, keeps the one with which these ranks have the shortest makespan, and returns that
 * makespan. There may be no hold; then the result is the makespan of the ranks alone. A hold helps,
 * because a scheduler without one starts everything that is ready: whatever the ranks, it keeps no
 * worker idle for an urgent system that is about to be ready. */
uint64_t ls_list_schedule_find_hold(const ls_list_schedule_job *job, const uint64_t *ranks,
                                    ls_list_schedule_hold *hold, void *scratch);

#endif
