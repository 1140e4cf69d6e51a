/* The rows of `./bench replay`: recordings of a skirmish between eight bots at 20 ticks a
 * second. */
#include "benches/replay/bench_recording.h"
#include "benches/replay/evidence.h"
#include "benches/replay/replay.h"
#include "benches/suites.h"

#include <lockstep/base.h>
#include <lockstep/replay_player.h>

#include <stdio.h>

enum { VERIFY_UNITS = 1000, VERIFY_TICKS = 2400, SEEK_UNITS = 2000, MINUTES = 60 };
enum { TICK_RATE = 20, TICKS_A_MINUTE = 60 * TICK_RATE, COLD_SEEKS = 300 };
enum { CURSORS = 15, NEAR_SEEKS = 40, NEAR_TICKS = 10 * TICK_RATE };

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 31);
}

/* Like `lockstep verify`: simulates every tick and compares every root. */
static double verify(const bench_recording *recorded)
{
    ls_recording *recording = bench_recording_open(recorded);
    const ls_recording_tick *tick;
    ls_world *world;
    LS_ASSERT(ls_world_create(recorded->program, &ls_recording_get_header(recording)->match, &world,
                              NULL) == LS_OK);
    uint64_t start_ns = bench_thread_ns();
    while (ls_recording_next(recording, &tick, NULL) == LS_OK && tick) {
        uint64_t root;
        LS_ASSERT(ls_recording_find_root(recording, tick->frame.tick, &root) &&
                  root == ls_world_root(world));
        LS_ASSERT(ls_world_advance(world, &tick->frame, NULL, NULL) == LS_OK);
    }
    double ns = (double)(bench_thread_ns() - start_ns) / recorded->plan.ticks;
    ls_world_destroy(world);
    ls_recording_close(recording);
    return ns;
}

static void verify_all(const bench_options *options, const void *variant, bench_result *results)
{
    bench_recording recorded;
    (void)variant;
    bench_recording_begin(&recorded,
                          &(bench_recording_plan){.units = VERIFY_UNITS, .ticks = VERIFY_TICKS});
    double *figures = ls_alloc(sizeof(double) * options->runs);
    for (uint32_t run = 0; run < options->runs; run++)
        figures[run] = verify(&recorded) / 1000;
    results[0].bare = 1e6 / TICK_RATE;
    results[0].ours = bench_median(figures, options->runs);
    results[1].ours = (double)recorded.memory.bytes / 1024 / VERIFY_TICKS * TICKS_A_MINUTE;
    ls_free(figures);
    bench_recording_end(&recorded);
}

struct seeks {
    double sum_ms, worst_ms;
    uint32_t count;
    size_t memory_bytes; /* the highest value */
};

static ls_replay_player *open_player(const bench_recording *recorded)
{
    ls_replay_player *player;
    LS_ASSERT(ls_replay_player_create(bench_recording_open(recorded),
                                      &(ls_replay_player_config){.program = recorded->program},
                                      &player, NULL) == LS_OK);
    return player;
}

static void seek(ls_replay_player *player, uint64_t tick, struct seeks *seeks)
{
    uint64_t start_ns = bench_thread_ns();
    LS_ASSERT(ls_replay_player_seek(player, tick, NULL) == LS_OK);
    double ms = (double)(bench_thread_ns() - start_ns) / 1e6;
    size_t bytes = ls_replay_player_get_stats(player).memory_bytes;
    seeks->sum_ms += ms;
    seeks->count++;
    seeks->worst_ms = ms > seeks->worst_ms ? ms : seeks->worst_ms;
    seeks->memory_bytes = bytes > seeks->memory_bytes ? bytes : seeks->memory_bytes;
}

/* Measures each seek with a newly opened player. */
static void seek_cold(const bench_recording *recorded, struct seeks *cold, double *open_ms)
{
    uint64_t random = 1, opened_ns = 0;
    for (uint32_t i = 0; i < COLD_SEEKS; i++) {
        uint64_t start_ns = bench_thread_ns();
        ls_replay_player *player = open_player(recorded);
        opened_ns += bench_thread_ns() - start_ns;
        seek(player, random_next(&random) % (recorded->plan.ticks + 1), cold);
        ls_replay_player_close(player);
    }
    *open_ms = (double)opened_ns / COLD_SEEKS / 1e6;
}

static uint64_t tick_near(uint64_t cursor, uint64_t last, uint64_t *random)
{
    uint64_t first = cursor > NEAR_TICKS ? cursor - NEAR_TICKS : 0;
    uint64_t end = cursor + NEAR_TICKS < last ? cursor + NEAR_TICKS : last;
    return first + random_next(random) % (end - first + 1);
}

/* Measures seeks with one player, so its cache is full. Before the seeks around a position, the
 * player fills its cache around that position until nothing is left to fill; `fill_ms` becomes the
 * mean time of this. */
static void seek_near(const bench_recording *recorded, struct seeks *near, double *fill_ms)
{
    uint64_t random = 2, filled_ns = 0;
    struct seeks away = {0};
    ls_replay_player *player = open_player(recorded);
    for (uint32_t i = 0; i < CURSORS; i++) {
        uint64_t cursor = random_next(&random) % (recorded->plan.ticks + 1);
        seek(player, cursor, &away);
        uint64_t start_ns = bench_thread_ns();
        while (ls_replay_player_fill(player, 1)) {
        }
        filled_ns += bench_thread_ns() - start_ns;
        for (uint32_t n = 0; n < NEAR_SEEKS; n++)
            seek(player, tick_near(cursor, recorded->plan.ticks, &random), near);
    }
    if (away.memory_bytes > near->memory_bytes)
        near->memory_bytes = away.memory_bytes;
    *fill_ms = (double)filled_ns / CURSORS / 1e6;
    ls_replay_player_close(player);
}

static void seek_all(const bench_options *options, const void *variant, bench_result *results)
{
    bench_recording recorded;
    struct seeks cold = {0}, near = {0};
    double open_ms, fill_ms;
    (void)options;
    (void)variant;
    bench_recording_begin(&recorded, &(bench_recording_plan){.units = SEEK_UNITS,
                                                             .ticks = MINUTES * TICKS_A_MINUTE,
                                                             .has_keyframes = true});
    seek_cold(&recorded, &cold, &open_ms);
    seek_near(&recorded, &near, &fill_ms);
    results[0].ours = cold.sum_ms / cold.count;
    results[1].ours = cold.worst_ms;
    results[2].ours = near.sum_ms / near.count;
    results[3].ours = near.worst_ms;
    snprintf(results[2].note, sizeof results[2].note, "after %.0f ms of idle time", fill_ms);
    results[4].ours = open_ms;
    results[5].ours = (double)(near.memory_bytes + recorded.memory.bytes) / (1 << 20);
    snprintf(results[5].note, sizeof results[5].note, "file: %.1f MiB, states: %.1f MiB",
             (double)recorded.memory.bytes / (1 << 20), (double)near.memory_bytes / (1 << 20));
    results[6].ours = (double)recorded.packing_ns * 100 / (double)recorded.ticks_ns;
    snprintf(results[6].note, sizeof results[6].note, "one every %u ticks, %.0f us per tick",
             recorded.plan.ticks / recorded.keyframes,
             (double)recorded.ticks_ns / 1000 / recorded.plan.ticks);
    results[7].ours = (double)recorded.snapshots_ns * 100 / (double)recorded.ticks_ns;
    results[8].ours = (double)recorded.memory.bytes / 1024 / MINUTES;
    results[9].ours = (double)(recorded.memory.bytes - recorded.keyframe_bytes) / 1024 / MINUTES;
    results[10].ours = (double)recorded.keyframe_bytes / 1024 / recorded.keyframes;
    bench_recording_end(&recorded);
}

static const bench_group verifying = {
    .rows = {{"verify a tick, 1,000 units / real time", "us", BENCH_SPEED_UP, 300, NULL},
             {"a minute of 1,000 units, no keyframes", "KiB", BENCH_AT_MOST, 100, NULL}},
    .whole = verify_all,
};
static const bench_group seeking = {
    .rows = {{"seek cold, 60 min of 2,000 units, mean", "ms", BENCH_AT_MOST, 15, NULL},
             {"seek cold, 60 min of 2,000 units, worst", "ms", BENCH_AT_MOST, 40, NULL},
             {"seek within 10 s of the cursor, mean", "ms", BENCH_AT_MOST, 3, NULL},
             {"seek within 10 s of the cursor, worst", "ms", BENCH_AT_MOST, 10, NULL},
             {"open it", "ms", BENCH_NO_TARGET, 0, NULL},
             {"memory: the whole file and all states", "MiB", BENCH_AT_MOST, 64, NULL},
             {"keyframes: packing, of tick time", "%", BENCH_AT_MOST, 5, NULL},
             {"keyframes: inside the tick, of tick time", "%", BENCH_NO_TARGET, 0, NULL},
             {"a minute of 2,000 units with keyframes", "KiB", BENCH_AT_MOST, 1024, NULL},
             {"a minute of 2,000 units without", "KiB", BENCH_AT_MOST, 100, NULL},
             {"a keyframe", "KiB", BENCH_NO_TARGET, 0, NULL}},
    .whole = seek_all,
};

static const bench_group *const groups[] = {&verifying, &seeking, &replay_late, &evidence_group,
                                            NULL};

const bench_suite bench_replay = {
    .name = "replay",
    .summary = "recordings: verifying, seeking, keyframes, their size, evidence of a desync",
    .groups = groups,
};
