#include "desync/run_variant.h"

#include "core/run/tick.h"
#include "core/state/state_internal.h"
#include "desync/memory_fill.h"
#include <lockstep/executor.h>

ls_status ls_run_variant_begin(const ls_run_variant *variant, ls_variant_runner *runner,
                               ls_error *error)
{
    *runner = (ls_variant_runner){.variant = *variant};
    if (variant->shuffle_seed) {
        const ls_executor_config config = {.threads = 1, .shuffle_seed = variant->shuffle_seed};
        ls_status status = ls_executor_create(&config, &runner->executor, error);
        if (status != LS_OK)
            return status;
    }
    /* Save bytes and not a snapshot: a system that writes without the engine's knowledge would
     * change a snapshot too. */
    ls_pages_own(variant->world);
    ls_image_init(&runner->start, variant->world);
    ls_image_take(&runner->start);
    return LS_OK;
}

ls_status ls_run_variant_run(ls_variant_runner *runner, const ls_frame *frame,
                             const ls_tick_hook *hook, ls_error *error)
{
    if (runner->variant.statics)
        ls_statics_put(runner->variant.statics);
    const ls_tick_job job = {.world = runner->variant.world, .frame = frame, .hook = hook};
    return ls_tick_run(&job, runner->executor, error);
}

void ls_run_variant_back(ls_variant_runner *runner)
{
    ls_pages_own(runner->variant.world);
    ls_image_restore(&runner->start);
    ls_world_state_changed(runner->variant.world);
}

void ls_run_variant_end(ls_variant_runner *runner)
{
    ls_run_variant_back(runner);
    ls_image_reset(&runner->start);
    ls_executor_destroy(runner->executor);
    *runner = (ls_variant_runner){0};
}

void ls_run_variant_fill_stack(const ls_run_variant *variant)
{
    if (variant->stack_fill)
        ls_memory_fill_stack(variant->stack_fill);
}
