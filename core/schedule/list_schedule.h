/* Ranks decide which of several ready systems starts first: the one with the longest path to the
 * end of the slot. They affect only the time of a tick.
 *   shape   `systems`, `times` and `ranks` are by position in the serial order; only the positions
 *           `first` to `end` - 1 are used, which are of one stage and slot. The ready system with
 *           the highest rank starts first, among equals the lowest position
 *   unit    times and ranks are in one unit, any
 *   source  upward rank of list schedulers (HEFT); double justification (Valls, Ballestin and
 *           Quintanilla 2005); docs/scheduler.md */
#ifndef LS_LIST_SCHEDULE_H
#define LS_LIST_SCHEDULE_H

#include "core/schedule/plan.h"

/* Sets each rank to the longest time from the start of the system to the end of the slot, over all
 * paths of systems that wait for it. */
void ls_list_schedule_upward(const ls_plan_system *systems, uint32_t first, uint32_t end,
                             const uint64_t *times, uint64_t *ranks);

typedef struct ls_list_schedule_job {
    const ls_plan_system *systems;
    uint32_t first, end;
    const uint64_t *times;
    uint32_t workers; /* 1 to LS_THREADS_MAX */
    uint32_t trials;  /* schedules that a function below may try beside the one it starts from */
} ls_list_schedule_job;

/* An extra wait that no order requires: `later` does not start before `earlier` has ended. It never
 * makes a cycle with the order. Both members are LS_LIST_SCHEDULE_NOBODY where there is none. */
#define LS_LIST_SCHEDULE_NOBODY UINT32_MAX
typedef struct ls_list_schedule_hold {
    uint32_t earlier, later;
} ls_list_schedule_hold;

/* The size of the scratch memory that the functions below take, for positions up to `end` - 1. The
 * caller owns it, aligned for uint64_t; its content means nothing between calls. */
size_t ls_list_schedule_scratch_bytes(uint32_t end);
/* How many trials are worth their time: more for few systems, where a trial is cheap and one system
 * matters much. */
uint32_t ls_list_schedule_usual_trials(uint32_t count);

/* The time that the slot takes if each free worker starts the ready system of the highest rank, and
 * each system is one piece of work. Systems that are kept apart count as ordered, as in the
 * executor; those of the main thread count like others. */
uint64_t ls_list_schedule_makespan(const ls_list_schedule_job *job, const uint64_t *ranks,
                                   void *scratch);

/* Tries several ranks, keeps those with which the slot ends soonest, and returns that time. The
 * result is the upward ranks unless others are shorter by more than times vary from tick to tick.
 * Each trial costs one step per edge and a few per system: call it when average times are renewed,
 * not each tick. */
uint64_t ls_list_schedule_choose(const ls_list_schedule_job *job, uint64_t *ranks, void *scratch);

/* Finds the one wait with which the slot, by these ranks, ends clearly sooner; returns that time. A
 * scheduler that starts everything that is ready cannot keep a worker idle for an urgent system
 * that is about to be ready, whatever the ranks. */
uint64_t ls_list_schedule_find_hold(const ls_list_schedule_job *job, const uint64_t *ranks,
                                    ls_list_schedule_hold *hold, void *scratch);

#endif
