/* A function that is called between the systems of a tick that one thread runs, in the serial order
 * or in a shuffled one. To find out what a system did: nothing that a simulation sees depends on
 * it.
 */
#ifndef LS_OBSERVER_H
#define LS_OBSERVER_H
#include <lockstep/match.h>

typedef enum ls_moment_kind {
    LS_MOMENT_BEGUN,  /* the system's matches are found and nothing of it has run */
    LS_MOMENT_RAN,    /* what it left to be merged is still in its journal */
    LS_MOMENT_ENDED,  /* and has been merged; of what the engine adds, the only moment */
    LS_MOMENT_SYNCED, /* a stage: commands, deaths */
} ls_moment_kind;

typedef struct ls_observer {
    void *argument;
    /* `at` is a position of the serial order as core/schedule/program_data.h counts them, for
     * LS_MOMENT_SYNCED the stage. It may read the world in memory and write to pages; a call that
     * needs hashes would close them. */
    void (*see)(void *argument, ls_world *world, ls_moment_kind kind, uint32_t at);
} ls_observer;

/* As ls_world_advance(), on one thread, and tells the observer, which may be NULL. */
ls_status ls_world_advance_seen(ls_world *world, const ls_frame *frame, ls_executor *executor,
                                const ls_observer *observer, ls_error *error) LS_MUST_USE;

/* As ls_world_create(). Calls the observer, which may be NULL, when the setup has begun: `at` is
 * its position after the last system. */
ls_status ls_world_create_seen(const ls_program *program, const ls_match *match,
                               const ls_observer *observer, ls_world **world,
                               ls_error *error) LS_MUST_USE;

static inline void ls_observer_tell(const ls_observer *observer, ls_world *world,
                                    ls_moment_kind kind, uint32_t at)
{
    if (LS_UNLIKELY(observer != NULL))
        observer->see(observer->argument, world, kind, at);
}

#endif
