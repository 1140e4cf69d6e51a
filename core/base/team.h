/* Threads that run one job after another together. A thread that waits for the next job first
 * spins, then yields to other threads, and finally sleeps. The protocol is checked in
 * tests/models/team.pml. */
#ifndef LS_TEAM_H
#define LS_TEAM_H
#include <lockstep/base.h>

/* Works on `count` items from `first` on. */
typedef void ls_range_function(void *argument, uint32_t first, uint32_t count);

typedef struct ls_team ls_team;
/* Does a part of the job, and returns when none is left for this thread. */
typedef void ls_team_function(void *job, uint32_t worker);

/* Starts `threads` - 1 workers, numbered from 1; the caller of ls_team_run() is number 0. If
 * pinned, worker i runs only on the i-th CPU that the calling thread may use; number 0 is not
 * bound.
 *   errors  LS_ERROR_USAGE when there are fewer CPUs than threads to pin; LS_ERROR_IO */
ls_status ls_team_create(uint32_t threads, bool is_pinned, ls_team **team,
                         ls_error *error) LS_MUST_USE;
void ls_team_destroy(ls_team *team);

/* From here to ls_team_leave(), workers without a job stay awake for longer. `is_waking` says that
 * a job will come: sleeping workers are woken. */
void ls_team_enter(ls_team *team, bool is_waking);
void ls_team_leave(ls_team *team);

/* Calls the function on this thread, and on each worker that joins before the call here has
 * returned. After the return no worker uses the job any more.
 *   thread  one at a time, and not from a job */
void ls_team_run(ls_team *team, ls_team_function *function, void *job);

#endif
