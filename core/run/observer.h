/* A function that the engine calls between the systems of a tick, to find out what each did. Only
 * ticks on one thread can have one, in serial or shuffled order. A simulation never sees it. */
#ifndef LS_OBSERVER_H
#define LS_OBSERVER_H
#include <lockstep/match.h>

typedef enum ls_tick_point {
    LS_POINT_BEGUN,  /* the system's matches are found; nothing of it has run */
    LS_POINT_RAN,    /* the system has run; its commands are not merged yet */
    LS_POINT_ENDED,  /* its commands are merged; the only point of systems that the engine adds */
    LS_POINT_SYNCED, /* the sync point of a stage: its commands and despawns are done */
} ls_tick_point;

typedef struct ls_observer {
    void *argument;
    /* `at` is a position in the serial order of core/schedule/program_data.h; at LS_POINT_SYNCED it
     * is the stage. The function may read the world's memory and write to pages. It may not call a
     * function that hashes the world, since hashing closes the pages. */
    void (*observe)(void *argument, ls_world *world, ls_tick_point point, uint32_t at);
} ls_observer;

static inline void ls_observer_call(const ls_observer *observer, ls_world *world,
                                    ls_tick_point point, uint32_t at)
{
    if (LS_UNLIKELY(observer != NULL))
        observer->observe(observer->argument, world, point, at);
}

#endif
