/* Executors run the systems of a tick. All executors give the same result; they differ in speed and
 * in which faults of a simulation they reveal. */
#ifndef LS_EXECUTOR_H
#define LS_EXECUTOR_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ls_trace; /* include/lockstep/trace.h */

/* This text is part of every finding of a checking executor about state outside of the world. All
 * other findings report undeclared access. */
#define LS_CHECK_HIDDEN "depends on what is not in the world"
/* This text is part of every finding about a write. Findings about a read are less certain: a clock
 * that moved between two runs can look like an undeclared read. */
#define LS_CHECK_WRITES "writes what it may not write"

typedef void ls_thread_pool_task(void *argument);
/* A thread pool of the application, which an executor uses instead of threads of its own. No result
 * depends on when or where the pool runs a task.
 *   thread  the executor calls both on the thread that uses it. Systems run in tasks; they may not
 *           wait for the pool */
typedef struct ls_thread_pool {
    /* Has `task(argument)` run once, on any thread of the pool. It should return at once. The task
     * may be late: it then helps with another tick, or returns. The calling thread never waits for
     * a task that has not begun, and a task that it runs itself returns at once. At most
     * `threads` - 1 tasks are submitted at a time. NULL: no pool. */
    void (*submit)(void *context, ls_thread_pool_task *task, void *argument);
    /* Waits for submitted tasks, or runs some; called until all have run, by
     * ls_executor_destroy(). It may return early. */
    void (*wait)(void *context);
    void *context;
} ls_thread_pool;

typedef struct ls_executor_config {
    uint32_t threads;      /* including the calling thread; 1: serial, on the caller alone */
    uint64_t shuffle_seed; /* not 0: random legal orders of systems; on one thread, of pages too */
    /* Ticks of worlds with at least this many living entities are shared with the workers. 0: the
     * executor measures when sharing is faster. */
    uint32_t share_from;
    /* Pins worker i to the i-th CPU that the calling thread may use; the calling thread keeps the
     * first. */
    bool is_pinned;
    /* Checks the simulation: one thread runs every system several times from one state, and reports
     * undeclared access and results that depend on anything but the world. Many times slower; for
     * tests. */
    bool check;
    struct ls_trace *trace; /* records what runs when, see include/lockstep/trace.h; NULL: no trace.
                               Must outlive the executor */
    ls_thread_pool pool;    /* copied; its context must outlive the executor */
} ls_executor_config;

/* Starts `threads - 1` workers, which sleep while no tick runs; with a pool it starts none.
 *   errors  LS_ERROR_USAGE: 0 or more than LS_THREADS_MAX threads, more pinned threads than CPUs,
 *           or a pool that is pinned or lacks a function; LS_ERROR_IO: a thread cannot be started
 *   thread  one tick at a time, from any thread; several worlds may take turns. A child of fork()
 *           has no workers: it may neither use the executor nor destroy it */
LS_API ls_status ls_executor_create(const ls_executor_config *config, ls_executor **executor,
                                    ls_error *error) LS_MUST_USE;
LS_API void ls_executor_destroy(ls_executor *executor);
/* The configured number of threads; 1 for NULL. */
LS_API uint32_t ls_executor_threads(const ls_executor *executor);

#ifdef __cplusplus
}
#endif

#endif
