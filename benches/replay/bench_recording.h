/* A recording in memory of a match between eight bots, as a server would write it. */
#ifndef LS_BENCH_RECORDING_H
#define LS_BENCH_RECORDING_H

#include "tests/support/memory_sink.h"
#include <lockstep/recording.h>
#include <lockstep/world.h>

typedef struct bench_recording_plan {
    uint32_t units, ticks;
    bool has_keyframes; /* at the interval of ls_keyframe_interval() */
} bench_recording_plan;

typedef struct bench_recording {
    bench_recording_plan plan;
    ls_program *program;
    ls_memory_sink memory;
    uint32_t keyframes, interval; /* number of keyframes; the last interval */
    uint64_t keyframe_bytes;
    /* Total times: simulating and hashing; the part of keyframes that delays a tick; packing
     * keyframes, which a server does on another thread. */
    uint64_t ticks_ns, snapshots_ns, packing_ns;
} bench_recording;

void bench_recording_begin(bench_recording *self, const bench_recording_plan *plan);
void bench_recording_end(bench_recording *self);
ls_recording *bench_recording_open(const bench_recording *self);

#endif
