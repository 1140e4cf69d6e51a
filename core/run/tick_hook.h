/* A tick hook: a function that the engine calls between the systems of a tick, to find out what
 * each did. Only ticks on one thread can have one, in serial or shuffled order. It is invisible to
 * the simulation. */
#ifndef LS_TICK_HOOK_H
#define LS_TICK_HOOK_H
#include <lockstep/match.h>

typedef enum ls_tick_point {
    LS_POINT_BEGUN,  /* the system has found its matches and has not run */
    LS_POINT_RAN,    /* the system has run; its changes are not merged yet */
    LS_POINT_ENDED,  /* the system has ended; steps of the engine have only this point */
    LS_POINT_SYNCED, /* after the sync point of a stage: commands and despawns are applied */
} ls_tick_point;

typedef struct ls_tick_hook {
    void *argument;
    /* `at` is a position in the serial order of core/schedule/program_data.h; for LS_POINT_SYNCED
     * it is the stage. The function may read the world's memory and write to pages. It may not call
     * anything that hashes the world, because hashing closes the pages. */
    void (*call)(void *argument, ls_world *world, ls_tick_point point, uint32_t at);
} ls_tick_hook;

static inline void ls_tick_hook_call(const ls_tick_hook *hook, ls_world *world, ls_tick_point point,
                                     uint32_t at)
{
    if (LS_UNLIKELY(hook != NULL))
        hook->call(hook->argument, world, point, at);
}

#endif
