/* A team of threads that works on one job at a time. A thread that waits for the next job first
 * spins, then yields to other threads, and finally sleeps. tests/models/team.pml checks the
 * protocol. */
#ifndef LS_TEAM_H
#define LS_TEAM_H
#include <lockstep/base.h>

/* Works on the items `first` to `first` + `count` - 1. */
typedef void ls_range_function(void *argument, uint32_t first, uint32_t count);

typedef struct ls_team ls_team;
/* Works on parts of the job until none is left for this thread. */
typedef void ls_team_function(void *job, uint32_t worker);

/* Starts `threads` - 1 workers, numbered from 1; the caller of ls_team_run() is number 0. If
 * pinned, worker i runs only on CPU i of the CPUs that the calling thread may use, counted from 0;
 * number 0 is not pinned.
 *   errors  LS_ERROR_USAGE: more pinned threads than CPUs; LS_ERROR_IO: the system did not start
 *           or pin a thread, or did not tell its CPUs */
ls_status ls_team_create(uint32_t threads, bool is_pinned, ls_team **team,
                         ls_error *error) LS_MUST_USE;
/* The members of ls_thread_pool in include/lockstep/executor.h, which this folder cannot include.
 */
typedef struct ls_team_pool {
    void (*submit)(void *context, void (*task)(void *argument), void *argument);
    void (*wait)(void *context);
    void *context;
} ls_team_pool;

/* The workers are tasks of the application's pool, `threads` - 1 at most. All have run when
 * ls_team_destroy() returns. They have the floating-point mode of the caller of ls_team_run(). */
ls_team *ls_team_create_on_pool(uint32_t threads, const ls_team_pool *pool);
void ls_team_destroy(ls_team *team);

/* Between enter and leave, workers without a job stay awake for longer. `is_waking`: a job will
 * follow, so sleeping workers are woken. */
void ls_team_enter(ls_team *team, bool is_waking);
void ls_team_leave(ls_team *team);

/* Runs the job on this thread, and on each worker that joins in time. After the return no worker
 * uses the job any more.
 *   thread  one at a time, and not from a job */
void ls_team_run(ls_team *team, ls_team_function *function, void *job);

#endif
