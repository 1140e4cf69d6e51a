/* Threads that do one job after the other together. They wait for the next one by looking, at first
 * without a break, then giving way to other threads, and in the end asleep. The protocol is checked
 * in tests/models/team.pml. */
#ifndef LS_TEAM_H
#define LS_TEAM_H
#include <lockstep/base.h>

/* Works on `count` items from `first` on. */
typedef void ls_range_function(void *argument, uint32_t first, uint32_t count);

typedef struct ls_team ls_team;
/* Does what is left of the job, and returns when there is nothing for this thread. */
typedef void ls_team_function(void *job, uint32_t worker);

/* Starts `threads` - 1 workers, numbered from 1; the caller of ls_team_run() is number 0. Pinned,
 * worker i may run only on the i-th CPU that the calling thread may use, and number 0 is left
 * alone.
 *   errors  LS_ERROR_USAGE when there are fewer CPUs than threads to pin; LS_ERROR_IO */
ls_status ls_team_create(uint32_t threads, bool is_pinned, ls_team **team,
                         ls_error *error) LS_MUST_USE;
void ls_team_destroy(ls_team *team);

/* From here to ls_team_leave() workers without a job do not sleep soon. `is_waking` says that there
 * will be one: those that sleep are woken. */
void ls_team_enter(ls_team *team, bool is_waking);
void ls_team_leave(ls_team *team);

/* Calls the function on this thread, and on each worker that comes before it has returned here.
 * When it returns no worker looks at the job any more.
 *   thread  one at a time, and not from a job */
void ls_team_run(ls_team *team, ls_team_function *function, void *job);

#endif
