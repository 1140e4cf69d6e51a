/* The run of one system in one tick: begun once, executed in ranges of pages by any worker, then
 * ended once. */
#ifndef LS_RUN_H
#define LS_RUN_H
#include "core/run/invocation.h"

/* Makes room for what `workers` workers need to run systems: before any of them does. */
void ls_run_prepare(ls_world *world, uint32_t workers);
/* Finds the matches, takes ownership of what will be written, builds join indexes; sets
 * run->chunks: the pages of a concurrent system, 1 for a sequential one with a match. */
void ls_run_begin(const ls_tick_job *job, uint32_t position);
/* Runs the chunks `first` to `first` + `count` - 1. */
typedef struct ls_run_by {
    uint32_t worker;    /* the number of the calling thread */
    uint64_t page_seed; /* not 0: visits the pages in an order drawn from it */
} ls_run_by;
void ls_run_chunk(const ls_tick_job *job, uint32_t position, uint32_t first, uint32_t count,
                  const ls_run_by *by);
/* Called after the last chunk and before any later system: spawned entities get their slots,
 * accumulated values reach their cells. */
void ls_run_end(const ls_tick_job *job, uint32_t position);
/* Begin, all chunks and end, while no other system runs. */
void ls_run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed);
/* The context of the system that the calling thread is running; NULL for none. For reports of where
 * a thread died; also in a signal handler. */
const ls_context *ls_run_here(void);
/* Called at the sync point: releases the tables kept for LS_START terms. Not earlier, because
 * systems without an order with this one may still be reading presence from a page that it cloned.
 */
void ls_run_release_start(ls_world *world, uint32_t position);

#endif
