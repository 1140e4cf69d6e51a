/* A recording in memory of a match between eight bots, as a server would write it. */
#ifndef LS_BENCH_REPLAY_FILM_H
#define LS_BENCH_REPLAY_FILM_H

#include "tests/support/memory_sink.h"
#include <lockstep/recording.h>
#include <lockstep/world.h>

typedef struct film_plan {
    uint32_t units, ticks;
    bool has_keyframes; /* at the interval of ls_keyframe_interval() */
} film_plan;

typedef struct replay_film {
    film_plan plan;
    ls_program *program;
    ls_memory_sink memory;
    uint32_t keyframes, interval; /* number of keyframes; the last interval */
    uint64_t keyframe_bytes;
    /* Total times: simulating and hashing; the part of keyframes that delays a tick; packing
     * keyframes, which a server does on another thread. */
    uint64_t ticks_ns, snapshots_ns, packing_ns;
} replay_film;

void film_begin(replay_film *self, const film_plan *plan);
void film_end(replay_film *self);
ls_recording *film_open(const replay_film *self);

#endif
