#include "server/driver.h"

#include <string.h>

static void advance(ls_driver *driver, uint32_t index)
{
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, driver->bodies[index], driver->bytes[index]);
    LS_ASSERT(ls_frame_decode(&reader, ls_world_tick(driver->world),
                              ls_world_match(driver->world)->player_count, inputs, &frame));
    driver->status = ls_world_advance(driver->world, &frame, driver->executor, &driver->error);
    if (driver->status == LS_OK)
        driver->roots[driver->done++] = ls_world_root_on(driver->world, driver->executor);
}

/* The owner may put one more aside meanwhile, on its thread. */
static void give_up_discarded(ls_driver *driver)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(driver->discarded); i++)
        ls_snapshot_destroy(__atomic_exchange_n(&driver->discarded[i], NULL, __ATOMIC_ACQ_REL));
}

static void run(ls_job *job)
{
    ls_driver *driver = (ls_driver *)job;
    give_up_discarded(driver);
    while (driver->done < driver->count && driver->status == LS_OK)
        advance(driver, driver->done);
    if (driver->wants_snapshot)
        driver->snapshot = ls_world_snapshot(driver->world);
}

void ls_driver_init(ls_driver *driver, ls_world *world, ls_executor *executor)
{
    *driver = (ls_driver){
        .job.run = run, .world = world, .executor = executor, .next = ls_world_tick(world)};
}

void ls_driver_reset(ls_driver *driver, ls_jobs *jobs)
{
    ls_job_wait(jobs, &driver->job);
    give_up_discarded(driver);
    ls_snapshot_destroy(driver->snapshot);
    driver->snapshot = NULL;
}

void ls_driver_submit(ls_driver *driver, ls_jobs *jobs, const ls_tick_ring *ring,
                      bool wants_snapshot)
{
    if (ls_job_is_busy(&driver->job) || driver->status != LS_OK ||
        (driver->next == ring->next && !wants_snapshot))
        return;
    driver->count = driver->done = 0;
    driver->wants_snapshot = wants_snapshot;
    while (driver->count < LS_DRIVER_TICKS && driver->next < ring->next) {
        ls_ticks_body body = ls_tick_ring_body(ring, driver->next);
        memcpy(driver->bodies[driver->count], body.data, body.bytes);
        driver->bytes[driver->count++] = (uint16_t)body.bytes;
        driver->next++;
    }
    ls_job_submit(jobs, &driver->job);
}

bool ls_driver_take(ls_driver *driver)
{
    return ls_job_take(&driver->job);
}

void ls_driver_discard(ls_driver *driver, ls_snapshot *snapshot)
{
    if (!ls_job_is_busy(&driver->job)) {
        ls_snapshot_destroy(snapshot);
        return;
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(driver->discarded); i++) {
        ls_snapshot *none = NULL;
        if (__atomic_compare_exchange_n(&driver->discarded[i], &none, snapshot, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
    }
    LS_ASSERT(false);
}
