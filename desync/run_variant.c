#include "desync/run_variant.h"

#include "core/run/tick.h"
#include "core/state/state_internal.h"
#include "desync/memory_fill.h"
#include <lockstep/executor.h>

enum { STACK_BYTES = 64 << 10 };

ls_status ls_run_variant_begin(const ls_run_variant *way, ls_run_variant_keeper *keeper,
                               ls_error *error)
{
    *keeper = (ls_run_variant_keeper){.way = *way};
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

ls_status ls_run_variant_run(ls_run_variant_keeper *keeper, const ls_frame *frame,
                             const ls_observer *observer, ls_error *error)
{
    if (keeper->way.statics)
        ls_statics_put(keeper->way.statics);
    const ls_tick_job job = {.world = keeper->way.world, .frame = frame, .observer = observer};
    return ls_tick_run(&job, keeper->executor, error);
}

void ls_run_variant_back(ls_run_variant_keeper *keeper)
{
    ls_pages_own(keeper->way.world);
    ls_image_restore(&keeper->start);
    ls_world_state_changed(keeper->way.world);
}

void ls_run_variant_end(ls_run_variant_keeper *keeper)
{
    ls_run_variant_back(keeper);
    ls_image_reset(&keeper->start);
    ls_executor_destroy(keeper->executor);
    *keeper = (ls_run_variant_keeper){0};
}

/* The bytes stay where they are when it returns; what is called next is over them. */
__attribute__((noinline)) void ls_run_variant_fill_stack(const ls_run_variant *way)
{
    volatile uint8_t bytes[STACK_BYTES];
    if (!way->stack_fill)
        return;
    ls_memory_fill((uint8_t *)(uintptr_t)bytes, sizeof bytes, 0, way->stack_fill);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}
