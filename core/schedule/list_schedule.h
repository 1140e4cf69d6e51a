/* The system to start first when several are ready: the one with the longest path to the end. Only
 * the time of a tick may depend on anything here.
 *   shape   `systems`, `times` and `ranks` are by position in the serial order; looked at are the
 *           positions `first` to `end` - 1, which are of one stage and slot. The ready system with
 *           the highest rank starts first, among equals the lowest position
 *   unit    times and ranks are in one unit, any
 *   source  upward rank of list schedulers (HEFT); double justification (Valls, Ballestin and
 *           Quintanilla 2005); docs/scheduler.md */
#ifndef LS_LIST_SCHEDULE_H
#define LS_LIST_SCHEDULE_H

#include "core/schedule/plan.h"

/* The longest time on any path from the start of the system to the end of the slot, over those that
 * wait for it. */
void ls_list_schedule_upward(const ls_plan_system *systems, uint32_t first, uint32_t end,
                             const uint64_t *times, uint64_t *ranks);

typedef struct ls_list_schedule_job {
    const ls_plan_system *systems;
    uint32_t first, end;
    const uint64_t *times;
    uint32_t workers; /* 1 to LS_THREADS_MAX */
    uint32_t trials;  /* schedules that a function below may try beside the one it starts from */
} ls_list_schedule_job;

/* A wait that no order asks for: `later` does not start before `earlier` has ended. It makes no
 * circle with any order. Both are LS_LIST_SCHEDULE_NOBODY where there is none. */
#define LS_LIST_SCHEDULE_NOBODY UINT32_MAX
typedef struct ls_list_schedule_hold {
    uint32_t earlier, later;
} ls_list_schedule_hold;

/* Working room of the functions below, for positions up to `end` - 1: the caller's, aligned for
 * uint64_t, and worth nothing after the call. */
size_t ls_list_schedule_scratch_bytes(uint32_t end);
/* Trials that pay: more for few systems, where they are cheap and one system weighs much. */
uint32_t ls_list_schedule_usual_trials(uint32_t count);

/* How long the slot takes when a worker that is free always starts the ready system of the highest
 * rank, and each system is one piece of work. Systems apart count as ordered, as they do for the
 * executor; those of the main thread count like others. */
uint64_t ls_list_schedule_makespan(const ls_list_schedule_job *job, const uint64_t *ranks,
                                   void *scratch);

/* Ranks by which the slot ends soonest, of those tried, and when it then ends. They are the upward
 * ranks unless others are shorter by more than times vary from tick to tick. Each trial costs
 * one step per edge and a few per system; it is for when average times are renewed, not for each
 * tick. */
uint64_t ls_list_schedule_choose(const ls_list_schedule_job *job, uint64_t *ranks, void *scratch);

/* A scheduler that starts everything that is ready cannot leave a worker idle for an urgent system
 * that is about to be ready, whatever the ranks. Finds the one wait that makes the slot, by these
 * ranks, end clearly sooner; returns when it then ends. */
uint64_t ls_list_schedule_find_hold(const ls_list_schedule_job *job, const uint64_t *ranks,
                                    ls_list_schedule_hold *hold, void *scratch);

#endif
