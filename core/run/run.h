/* The run of one system in one tick: begin once, execute ranges of pages on any worker, end
 * once. */
#ifndef LS_RUN_H
#define LS_RUN_H
#include "core/run/invocation.h"

/* Allocates what `workers` workers need to run systems; call it before they do. */
void ls_run_prepare(ls_world *world, uint32_t workers);
/* Begins a run: finds the matches, makes tables and pages writable, builds join indexes. Sets
 * run->chunks: the number of listed pages of a concurrent system, 1 for a sequential system. It is
 * 0 if a query has no match, or for a step of a par. */
void ls_run_begin(const ls_tick_job *job, uint32_t position);
/* How to run a range of chunks. */
typedef struct ls_run_by {
    uint32_t worker;    /* the number of the calling thread */
    uint64_t page_seed; /* not 0: visit the pages in a random order drawn from this seed */
} ls_run_by;
void ls_run_chunk(const ls_tick_job *job, uint32_t position, uint32_t first, uint32_t count,
                  const ls_run_by *by);
/* Ends a run; called after the last chunk, and before any system that has to wait for this one
 * begins. New entities get their slots, accumulated values are merged into their cells, baselines
 * are kept, and declared facts are checked. */
void ls_run_end(const ls_tick_job *job, uint32_t position);
/* Begins a run, executes all chunks and ends it, while no other system runs. */
void ls_run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed);
/* ls_run_alone() for those of the systems `first` to `end` - 1 that are not off, in this order. */
void ls_run_serially(const ls_tick_job *job, uint32_t first, uint32_t end);
/* The context of the system that the calling thread is running, or NULL. It is safe in a signal
 * handler, to report where a thread crashed. */
const ls_context *ls_run_here(void);
/* The address of the simulation's function that the system calls, for reports of a crash. */
static inline uintptr_t ls_run_function(const ls_system *system)
{
    return system->span    ? (uintptr_t)system->span
           : system->each  ? (uintptr_t)system->each
           : system->block ? (uintptr_t)system->block
                           : (uintptr_t)system->match;
}
/* Called at the sync point: releases the tables kept for LS_START terms. Not earlier, because
 * systems without an order with this one may still be reading presence from a page that it
 * cloned. */
void ls_run_release_start(ls_world *world, uint32_t position);
/* Records a slice of the present tick, and of the present run of its stage, that ends now. For a
 * tick with a trace. */
static inline void ls_run_note_slice(const ls_tick_job *job, ls_trace_slice slice)
{
    slice.tick = job->world->state.tick;
    slice.run = job->world->run_number;
    ls_trace_add(job->trace, slice);
}

#endif
