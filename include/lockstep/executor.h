/* Executors run the systems of a tick. All give the same result. They differ in speed, and in which
 * faults of a simulation they reveal. */
#ifndef LS_EXECUTOR_H
#define LS_EXECUTOR_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ls_trace; /* include/lockstep/trace.h */

/* Part of every finding of a checking executor that reports state outside of the world, and of no
 * other finding: the others report undeclared access. */
#define LS_CHECK_HIDDEN "depends on what is not in the world"
/* Part of every finding that reports a write. A finding of a read is less certain: a clock that
 * moved between two runs can look like a read. */
#define LS_CHECK_WRITES "writes what it may not write"

typedef struct ls_executor_config {
    uint32_t threads;      /* the calling thread included; 1 = serial, on the caller alone */
    uint64_t shuffle_seed; /* not 0: one thread, a random legal order of systems and of pages */
    /* Ticks of worlds with at least this many living entities are shared with workers, others are
     * not. 0: wherever sharing turns out to be faster. */
    uint32_t share_from;
    /* Binds worker i to the i-th CPU that the calling thread may use; it keeps the first. */
    bool is_pinned;
    /* Checks the simulation: one thread runs every system several times from one state, and reports
     * undeclared access and results that depend on anything but the world. Many times slower; for
     * tests. */
    bool check;
    struct ls_trace *trace; /* of what ran when; NULL keeps none. Outlives the executor */
} ls_executor_config;

/* Starts `threads - 1` workers, which sleep when no tick follows.
 *   errors  LS_ERROR_USAGE for 0 or more than LS_THREADS_MAX threads, and for more than there are
 *           CPUs to pin them to; LS_ERROR_IO
 *   thread  one tick at a time, from any thread; several worlds may take turns. A child of fork()
 *           has no workers: it may neither use the executor nor destroy it */
LS_API ls_status ls_executor_create(const ls_executor_config *config, ls_executor **executor,
                                    ls_error *error) LS_MUST_USE;
LS_API void ls_executor_destroy(ls_executor *executor);
/* Those of its config; 1 for NULL. */
LS_API uint32_t ls_executor_threads(const ls_executor *executor);

#ifdef __cplusplus
}
#endif

#endif
