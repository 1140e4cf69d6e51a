/* One system's share of one tick: begun once, run in ranges of pages by any worker, then ended
 * once. */
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
/* After the last chunk and before any system that comes after: spawned entities get their slots,
 * what was accumulated reaches its cells. */
void ls_run_end(const ls_tick_job *job, uint32_t position);
/* Begin, all chunks and end, while no other system runs. */
void ls_run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed);
/* The system that the calling thread is in the middle of; NULL for none. For who has to say what a
 * thread was at when it died: also in a signal handler. */
const ls_context *ls_run_here(void);
/* At the sync point: lets go of what LS_START terms kept. Not before, because systems without an
 * order with this one may still look for presence in a page that it cloned. */
void ls_run_release_start(ls_world *world, uint32_t position);

#endif
