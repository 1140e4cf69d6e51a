#include "server/driver.h"

#include "core/base/platform.h"

#include <string.h>

static void note_events(ls_driver *driver, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        uint64_t seat = UINT64_C(1) << input->player % LS_PLAYERS_MAX;
        if (input->kind == LS_JOIN)
            driver->players |= seat;
        else if (input->kind == LS_LEAVE)
            driver->players &= ~seat;
        else if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
            driver->is_paused = input->kind == LS_PAUSE;
    }
}

static void note_columns(ls_driver *driver)
{
    uint64_t tick = ls_world_tick(driver->world);
    if (!driver->columns_ticks || tick % driver->columns_ticks)
        return;
    driver->columns_tick = tick;
    ls_world_column_hashes(driver->world, driver->columns);
}

static void advance(ls_driver *driver, uint32_t index)
{
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, driver->bodies[index], driver->bytes[index]);
    LS_ASSERT(ls_frame_decode(&reader, ls_world_tick(driver->world),
                              ls_world_match(driver->world)->player_count, inputs, &frame));
    uint64_t start_ns = ls_monotonic_ns();
    driver->status = ls_world_advance(driver->world, &frame, driver->executor, &driver->error);
    if (driver->status != LS_OK)
        return;
    driver->roots[driver->done] =
        driver->history
            ? ls_state_history_keep(driver->history, driver->executor, LS_STATE_HISTORY_NONE)
            : ls_world_root_on(driver->world, driver->executor);
    driver->took_ns[driver->done++] = ls_monotonic_ns() - start_ns;
    note_events(driver, &frame);
    note_columns(driver);
}

/* Destroys the discarded snapshots. Exchanges each pointer atomically, because the owner may
 * discard another snapshot on its own thread meanwhile. Acquire: pairs with the release in
 * ls_driver_discard(). Freeing the place publishes nothing. */
static void give_up_discarded(ls_driver *driver)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(driver->discarded); i++)
        ls_snapshot_destroy(__atomic_exchange_n(&driver->discarded[i], NULL, __ATOMIC_ACQUIRE));
}

/* Keeps the first state in the history: no tick of this server produces it. */
static void keep_first(ls_driver *driver)
{
    if (!driver->history || driver->has_first)
        return;
    driver->has_first = true;
    (void)ls_state_history_keep(driver->history, driver->executor, LS_STATE_HISTORY_NONE);
}

static void run(ls_job *job)
{
    ls_driver *driver = (ls_driver *)job;
    give_up_discarded(driver);
    keep_first(driver);
    while (driver->done < driver->count && driver->status == LS_OK)
        advance(driver, driver->done);
    if (driver->requests & LS_DRIVER_SNAPSHOT)
        driver->snapshot = ls_world_snapshot(driver->world);
    if (driver->requests & LS_DRIVER_KEYFRAME)
        driver->keyframe = ls_world_snapshot(driver->world);
    for (uint32_t i = 0; i < driver->exchange_count; i++)
        ls_state_exchange_work(driver->exchanges[i], driver->world, driver->history);
}

void ls_driver_init(ls_driver *driver, ls_world *world, ls_executor *executor)
{
    *driver = (ls_driver){
        .job.run = run, .world = world, .executor = executor, .next = ls_world_tick(world)};
}

void ls_driver_keep_history(ls_driver *driver, uint32_t ticks, size_t bytes)
{
    LS_ASSERT(!ls_job_is_busy(&driver->job) && !driver->history);
    driver->history = ls_state_history_create(driver->world, ticks, bytes);
}

void ls_driver_reset(ls_driver *driver, ls_jobs *jobs)
{
    ls_job_wait(jobs, &driver->job);
    give_up_discarded(driver);
    ls_snapshot_destroy(driver->snapshot);
    ls_snapshot_destroy(driver->keyframe);
    driver->snapshot = driver->keyframe = NULL;
    ls_state_history_destroy(driver->history);
    driver->history = NULL;
}

void ls_driver_submit(ls_driver *driver, ls_jobs *jobs, const ls_tick_ring *ring, uint64_t until,
                      uint32_t requests)
{
    uint64_t end = until < ring->next ? until : ring->next;
    if (ls_job_is_busy(&driver->job) || driver->status != LS_OK ||
        (driver->next >= end && !requests && !driver->exchange_count))
        return;
    driver->count = driver->done = 0;
    driver->requests = requests;
    driver->columns_tick = UINT64_MAX;
    while (driver->count < LS_DRIVER_TICKS && driver->next < end) {
        ls_ticks_body body = ls_tick_ring_body(ring, driver->next);
        memcpy(driver->bodies[driver->count], body.data, body.bytes);
        driver->bytes[driver->count++] = (uint16_t)body.bytes;
        driver->next++;
    }
    ls_job_submit(jobs, &driver->job);
}

void ls_driver_add_exchange(ls_driver *driver, ls_state_exchange *exchange)
{
    if (ls_job_is_busy(&driver->job) || driver->status != LS_OK)
        return;
    LS_ASSERT(driver->exchange_count < LS_COUNT_OF(driver->exchanges));
    driver->exchanges[driver->exchange_count++] = exchange;
}

bool ls_driver_has_exchange(const ls_driver *driver, const ls_state_exchange *exchange)
{
    for (uint32_t i = 0; i < driver->exchange_count; i++)
        if (driver->exchanges[i] == exchange)
            return true;
    return false;
}

bool ls_driver_take(ls_driver *driver)
{
    bool has_ended = ls_job_take(&driver->job);
    if (has_ended)
        driver->exchange_count = 0;
    return has_ended;
}

bool ls_driver_has_failed(const ls_driver *driver)
{
    return !ls_job_is_busy(&driver->job) && driver->status != LS_OK;
}

void ls_driver_discard(ls_driver *driver, ls_snapshot *snapshot)
{
    if (!snapshot || !ls_job_is_busy(&driver->job)) {
        ls_snapshot_destroy(snapshot);
        return;
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(driver->discarded); i++) {
        ls_snapshot *none = NULL;
        if (__atomic_compare_exchange_n(&driver->discarded[i], &none, snapshot, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
    }
    LS_ASSERT(false);
}
