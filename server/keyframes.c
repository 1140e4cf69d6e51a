#include "server/keyframes.h"

#include "core/base/platform_cpu.h"
#include <lockstep/room_config.h>

#define US UINT64_C(1000)

enum {
    /* The second keyframe is due at this tick at the latest, because at the first no cost has been
     * measured. */
    SECOND_TICK = 128,
    /* Means are over a limited count, so that older sizes and costs lose weight. */
    COUNTED_MAX = 2 * LS_KEYFRAMES_PER_FULL,
    MEAN_OF = 16,
};

static void pack(ls_job *job)
{
    ls_keyframes *keyframes = (ls_keyframes *)job;
    bool is_full = keyframes->made.base_tick == keyframes->made.tick;
    ls_keyframe_encode(keyframes->snapshot, is_full ? NULL : keyframes->base, &keyframes->bytes,
                       &keyframes->made.bytes);
}

void ls_keyframes_init(ls_keyframes *keyframes, uint32_t ticks, uint32_t s_max, uint32_t tick_rate)
{
    *keyframes = (ls_keyframes){.job.run = pack,
                                .ticks = ticks,
                                .most = s_max ? s_max * tick_rate : UINT32_MAX,
                                .costs.tick_rate = tick_rate};
}

void ls_keyframes_stop(ls_keyframes *keyframes)
{
    keyframes->ticks = 0;
}

void ls_keyframes_restart(ls_keyframes *keyframes)
{
    keyframes->wants_full = true;
    keyframes->due = 0;
}

void ls_keyframes_reset(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver)
{
    ls_job_wait(jobs, &keyframes->job);
    ls_free(keyframes->bytes);
    keyframes->bytes = NULL;
    ls_driver_discard(driver, keyframes->snapshot);
    ls_driver_discard(driver, keyframes->base);
    keyframes->snapshot = keyframes->base = NULL;
}

bool ls_keyframes_is_due(const ls_keyframes *keyframes, uint64_t tick)
{
    return keyframes->ticks && !keyframes->snapshot && tick >= keyframes->due;
}

void ls_keyframes_measure(ls_keyframes *keyframes, const ls_driver *driver)
{
    if (!driver->done)
        return;
    uint64_t *mean = &keyframes->costs.tick_ns;
    uint64_t now = driver->job.cost * US / ls_cycles_us() / driver->done;
    *mean = *mean ? *mean - *mean / MEAN_OF + now / MEAN_OF : now;
}

void ls_keyframes_pack(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver)
{
    LS_ASSERT(!keyframes->snapshot && driver->keyframe);
    keyframes->snapshot = driver->keyframe;
    driver->keyframe = NULL;
    ls_recording_keyframe *made = &keyframes->made;
    uint64_t base_tick = made->base_tick;
    *made = (ls_recording_keyframe){.tick = ls_snapshot_tick(keyframes->snapshot),
                                    .players = driver->players,
                                    .is_paused = driver->is_paused};
    bool is_full = !keyframes->base || keyframes->wants_full ||
                   keyframes->from_base + 1 == LS_KEYFRAMES_PER_FULL;
    made->base_tick = is_full ? made->tick : base_tick;
    ls_job_submit(jobs, &keyframes->job);
}

const ls_recording_keyframe *ls_keyframes_take(ls_keyframes *keyframes)
{
    if (!ls_job_take(&keyframes->job))
        return NULL;
    keyframes->made.data = keyframes->bytes;
    return &keyframes->made;
}

static uint32_t next_interval(ls_keyframes *keyframes)
{
    keyframes->bytes_sum += keyframes->made.bytes;
    if (++keyframes->counted == COUNTED_MAX) {
        keyframes->bytes_sum /= 2;
        keyframes->counted /= 2;
    }
    ls_keyframe_costs *costs = &keyframes->costs;
    costs->bytes = (uint32_t)(keyframes->bytes_sum / keyframes->counted);
    /* The time to encode is an upper bound: decoding takes less. */
    costs->decode_ns = keyframes->job.cost * US / ls_cycles_us();
    if (keyframes->ticks != LS_ROOM_TICKS_AUTO)
        return keyframes->made.tick || keyframes->ticks < SECOND_TICK ? keyframes->ticks
                                                                      : SECOND_TICK;
    uint32_t ticks = keyframes->made.tick ? ls_keyframe_interval(costs, &LS_KEYFRAME_BUDGET_DEFAULT)
                                          : SECOND_TICK;
    return ticks < keyframes->most ? ticks : keyframes->most;
}

void ls_keyframes_done(ls_keyframes *keyframes, ls_driver *driver, bool is_appended)
{
    bool is_full = keyframes->made.base_tick == keyframes->made.tick;
    if (is_appended && is_full) {
        ls_driver_discard(driver, keyframes->base);
        keyframes->base = keyframes->snapshot;
        keyframes->from_base = 0;
        keyframes->wants_full = false;
    } else {
        ls_driver_discard(driver, keyframes->snapshot);
        keyframes->from_base++;
    }
    keyframes->snapshot = NULL;
    keyframes->due = keyframes->made.tick + next_interval(keyframes);
    ls_free(keyframes->bytes);
    keyframes->bytes = NULL;
}
