#include "desync/rerun.h"
#include "core/world_internal.h"

#include "core/run/tick_hook.h"
#include "desync/memory_fill.h"

#include <inttypes.h>

struct ls_rerun {
    ls_rerun_config config;
    ls_executor *executor;
    ls_world *world;
    ls_world *spare; /* with round trips: the other world; the two swap each tick */
    uint64_t start_tick;
    uint64_t noise;     /* how much of the noise stream the heap has used */
    ls_root_ring roots; /* of this run, not compared yet */
    ls_rerun_result result;
};

static bool wants_executor(const ls_rerun_variant *variant)
{
    return variant->threads || variant->shuffle_seed || variant->checks;
}

static ls_status make_executor(ls_rerun *rerun, ls_error *error)
{
    const ls_rerun_variant *variant = &rerun->config.variant;
    if (!wants_executor(variant))
        return LS_OK;
    const ls_executor_config config = {.threads = variant->threads ? variant->threads : 1,
                                       .shuffle_seed = variant->shuffle_seed,
                                       .share_from = variant->share_from,
                                       .check = variant->checks};
    return ls_executor_create(&config, &rerun->executor, error);
}

/* Fills unwritten memory with noise, as the variant says. */
static void fill_memory(ls_rerun *rerun)
{
    const ls_rerun_variant *variant = &rerun->config.variant;
    if (variant->heap_noise)
        ls_memory_fill_heap(&rerun->noise, variant->heap_noise);
    if (variant->stack_fill)
        ls_memory_fill_stack(variant->stack_fill);
}

/* Fills memory before each system, because the engine uses the same memory between systems. */
static void see(void *argument, ls_world *world, ls_tick_point kind, uint32_t at)
{
    (void)world, (void)at;
    if (kind == LS_POINT_BEGUN)
        fill_memory(argument);
}

static bool fills_memory(const ls_rerun_variant *variant)
{
    return variant->heap_noise || variant->stack_fill;
}

/* Fills memory before the setup and the functions that compute match data, as before systems. */
static ls_status make_world(ls_rerun *rerun, ls_error *error)
{
    const ls_rerun_config *config = &rerun->config;
    const ls_tick_hook hook = {rerun, see};
    if (config->variant.heap_noise)
        ls_memory_fill_large(&rerun->noise, config->variant.heap_noise);
    fill_memory(rerun);
    return ls_world_create_hooked(config->program, config->match,
                                  fills_memory(&config->variant) ? &hook : NULL, &rerun->world,
                                  error);
}

ls_status ls_rerun_create(const ls_rerun_config *config, ls_rerun **rerun, ls_error *error)
{
    ls_rerun *made = ls_alloc(sizeof *made);
    made->config = *config;
    *rerun = NULL;
    ls_status status = make_executor(made, error);
    if (!status)
        status = make_world(made, error);
    if (!status && config->snapshot)
        status = ls_world_decode(made->world, config->snapshot, config->snapshot_bytes, error);
    if (status) {
        ls_rerun_destroy(made);
        return status;
    }
    made->start_tick = ls_world_tick(made->world);
    ls_root_ring_init(&made->roots, made->start_tick);
    *rerun = made;
    return LS_OK;
}

void ls_rerun_destroy(ls_rerun *rerun)
{
    if (!rerun)
        return;
    ls_world_destroy(rerun->spare);
    ls_world_destroy(rerun->world);
    ls_executor_destroy(rerun->executor);
    ls_free(rerun);
}

/* Returns the part of `roots` that this run has computed: a source may also have roots of earlier
 * and of later ticks. */
static ls_recording_roots clip(const ls_rerun *rerun, ls_recording_roots roots)
{
    uint64_t end = roots.first_tick + roots.count;
    uint64_t first = roots.first_tick;
    if (first < rerun->start_tick)
        first = rerun->start_tick;
    if (end > rerun->roots.own_tick)
        end = rerun->roots.own_tick;
    if (first >= end)
        return (ls_recording_roots){.first_tick = rerun->roots.compared_tick};
    return (ls_recording_roots){first, (uint32_t)(end - first),
                                roots.values + (first - roots.first_tick)};
}

static ls_status compare(ls_rerun *rerun, const ls_recording_roots *roots, ls_error *error)
{
    ls_rerun_result *result = &rerun->result;
    ls_recording_roots own = clip(rerun, *roots);
    if (result->has_difference || rerun->config.is_blind ||
        ls_root_ring_compare(&rerun->roots, &own, &result->difference))
        return LS_OK;
    result->has_difference = true;
    if (rerun->config.goes_on)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "before tick %" PRIu64 ": expected root %016" PRIx64 ", found %016" PRIx64,
                        result->difference.tick, result->difference.expected,
                        result->difference.found);
}

/* Compares the last roots. A recording names them in later frames, so the source is read past the
 * end. */
static ls_status compare_rest(ls_rerun *rerun, ls_error *error)
{
    uint64_t end = ls_world_tick(rerun->world);
    while (!rerun->result.has_difference && rerun->roots.compared_tick <= end) {
        ls_source_tick tick;
        ls_status status =
            rerun->config.ticks.next(rerun->config.ticks.argument, rerun->world, &tick, error);
        if (!status)
            status = compare(rerun, &tick.roots, error);
        if (status || tick.is_over)
            return status;
    }
    return LS_OK;
}

ls_status ls_rerun_round_trip(ls_world **world, ls_world **spare, ls_error *error)
{
    ls_status status = LS_OK;
    if (!*spare)
        status = ls_world_create(ls_world_program(*world), ls_world_match(*world), spare, error);
    if (status)
        return status;
    uint8_t *bytes;
    size_t count;
    uint64_t root = ls_world_root(*world);
    ls_world_encode(*world, &bytes, &count);
    status = ls_world_decode(*spare, bytes, count, error);
    ls_free(bytes);
    if (status)
        return status;
    if (ls_world_root(*spare) != root)
        return ls_error_set(error, LS_ERROR_DIVERGED,
                            "before tick %" PRIu64 ": the state has root %016" PRIx64
                            ", restored from its own bytes %016" PRIx64,
                            ls_world_tick(*world), root, ls_world_root(*spare));
    ls_world *restored = *spare;
    *spare = *world;
    *world = restored;
    return LS_OK;
}

static ls_status round_trip(ls_rerun *rerun, ls_error *error)
{
    if (rerun->spare && rerun->config.variant.is_fresh) {
        ls_world_destroy(rerun->spare);
        rerun->spare = NULL;
    }
    return ls_rerun_round_trip(&rerun->world, &rerun->spare, error);
}

static ls_status run_tick(ls_rerun *rerun, const ls_frame *frame, ls_error *error)
{
    const ls_rerun_variant *variant = &rerun->config.variant;
    ls_status status = variant->round_trips ? round_trip(rerun, error) : LS_OK;
    if (status)
        return status;
    const ls_tick_hook hook = {rerun, see};
    bool is_seen = fills_memory(variant) && variant->threads <= 1;
    fill_memory(rerun);
    status = ls_world_advance_hooked(rerun->world, frame, rerun->executor, is_seen ? &hook : NULL,
                                     error);
    rerun->result.tick_count += status == LS_OK;
    return status;
}

static ls_status compare_and_run(ls_rerun *rerun, bool *is_over, ls_error *error)
{
    ls_source_tick tick;
    ls_status status =
        rerun->config.ticks.next(rerun->config.ticks.argument, rerun->world, &tick, error);
    if (!status)
        status = compare(rerun, &tick.roots, error);
    *is_over = !status && tick.is_over;
    return status || tick.is_over ? status : run_tick(rerun, &tick.frame, error);
}

ls_status ls_rerun_step(ls_rerun *rerun, bool *is_over, ls_error *error)
{
    bool is_compared = !rerun->config.is_blind && !rerun->result.has_difference;
    if (is_compared)
        ls_root_ring_push(&rerun->roots, ls_world_root_on(rerun->world, rerun->executor));
    *is_over = rerun->config.end_tick && ls_world_tick(rerun->world) >= rerun->config.end_tick;
    if (!*is_over)
        return compare_and_run(rerun, is_over, error);
    return is_compared ? compare_rest(rerun, error) : LS_OK;
}

ls_world *ls_rerun_world(ls_rerun *rerun)
{
    return rerun->world;
}

const ls_rerun_result *ls_rerun_get_result(const ls_rerun *rerun)
{
    return &rerun->result;
}
