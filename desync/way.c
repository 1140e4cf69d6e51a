#include "desync/way.h"

#include "core/state_internal.h"
#include "core/tick.h"
#include "desync/noise.h"

enum { STACK_BYTES = 64 << 10 };

ls_status ls_way_begin(const ls_way *way, ls_way_keeper *keeper, ls_error *error)
{
    *keeper = (ls_way_keeper){.way = *way};
    if (way->shuffle_seed) {
        const ls_executor_config config = {.threads = 1, .shuffle_seed = way->shuffle_seed};
        ls_status status = ls_executor_create(&config, &keeper->executor, error);
        if (status != LS_OK)
            return status;
    }
    /* Bytes, no snapshot: a system that writes behind the engine's back would change that too. */
    ls_pages_own(way->world);
    ls_image_init(&keeper->start, way->world);
    ls_image_take(&keeper->start);
    return LS_OK;
}

ls_status ls_way_run(ls_way_keeper *keeper, const ls_frame *frame, const ls_observer *observer,
                     ls_error *error)
{
    if (keeper->way.statics)
        ls_statics_put(keeper->way.statics);
    const ls_tick_job job = {.world = keeper->way.world, .frame = frame, .observer = observer};
    return ls_tick_run(&job, keeper->executor, error);
}

void ls_way_back(ls_way_keeper *keeper)
{
    ls_pages_own(keeper->way.world);
    ls_image_restore(&keeper->start);
    ls_world_state_changed(keeper->way.world);
}

void ls_way_end(ls_way_keeper *keeper)
{
    ls_way_back(keeper);
    ls_image_reset(&keeper->start);
    ls_executor_destroy(keeper->executor);
    *keeper = (ls_way_keeper){0};
}

/* The bytes stay where they are when it returns; what is called next lies over them. */
__attribute__((noinline)) void ls_way_fill_stack(const ls_way *way)
{
    volatile uint8_t bytes[STACK_BYTES];
    if (!way->stack_fill)
        return;
    ls_noise_fill((uint8_t *)(uintptr_t)bytes, sizeof bytes, 0, way->stack_fill);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}
