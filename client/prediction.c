#include <lockstep/prediction.h>

#include "client/input_prediction.h"
#include "core/state/snapshot_internal.h"

#include <string.h>

#define NEVER UINT64_MAX

/* The frame that a predicted tick ran on. */
typedef struct body {
    uint16_t bytes;
    uint8_t data[LS_FRAME_BYTES_MAX];
} body;

struct ls_prediction {
    ls_prediction_config config;
    ls_world *world;    /* NULL when ticks_max is 0: nothing is predicted */
    ls_world *previous; /* the world one tick earlier; NULL unless keeps_previous */
    /* The first tick with a wrong prediction; NEVER when none is wrong. The confirmed world may
     * already be past this tick. */
    uint64_t wrong_from;
    ls_prediction_stats stats;
    body *bodies; /* the one of tick t is at t % LS_CLIENT_PREDICT_TICKS */
    ls_input_prediction inputs;
};

ls_prediction *ls_prediction_create(const ls_prediction_config *config)
{
    LS_ASSERT(config->ticks_max <= LS_CLIENT_PREDICT_TICKS);
    ls_prediction *made = ls_alloc(sizeof *made);
    made->config = *config;
    made->wrong_from = NEVER;
    ls_input_prediction_init(&made->inputs, ls_world_tick(config->confirmed),
                             ls_world_match(config->confirmed)->player_count, config->player);
    if (config->ticks_max) {
        made->world = ls_world_create_sibling(config->confirmed);
        made->previous = config->keeps_previous ? ls_world_create_sibling(config->confirmed) : NULL;
        made->bodies = ls_alloc(sizeof *made->bodies * LS_CLIENT_PREDICT_TICKS);
    }
    return made;
}

void ls_prediction_destroy(ls_prediction *prediction)
{
    if (!prediction)
        return;
    ls_world_destroy(prediction->previous);
    ls_world_destroy(prediction->world);
    ls_free(prediction->bodies);
    ls_free(prediction);
}

static void mark_wrong(ls_prediction *prediction, uint64_t tick)
{
    if (tick < prediction->wrong_from)
        prediction->wrong_from = tick;
}

ls_status ls_prediction_input(ls_prediction *prediction, uint64_t tick, const ls_input *input,
                              ls_error *error)
{
    const ls_world *confirmed = prediction->config.confirmed;
    ls_input own = *input;
    own.player = prediction->config.player;
    uint64_t from = 0;
    if (!ls_sim_accepts(ls_program_sim(ls_world_program(confirmed)), ls_world_match(confirmed),
                        &own))
        return ls_error_set(error, LS_ERROR_USAGE, "the simulation does not take this input");
    ls_status status = ls_input_prediction_input(&prediction->inputs, tick, &own, &from);
    if (status != LS_OK)
        return ls_error_set(error, status, "the input's tick cannot be predicted");
    if (prediction->world && from < ls_world_tick(prediction->world))
        mark_wrong(prediction, from);
    return LS_OK;
}

static size_t encode(const ls_frame *frame, uint8_t *bytes)
{
    ls_writer writer;
    ls_writer_init(&writer, bytes, LS_FRAME_BYTES_MAX);
    ls_frame_encode(frame, &writer);
    LS_ASSERT(!writer.failed);
    return writer.count;
}

static bool is_as_predicted(const ls_prediction *prediction, const ls_frame *frame)
{
    const body *predicted = &prediction->bodies[frame->tick % LS_CLIENT_PREDICT_TICKS];
    uint8_t bytes[LS_FRAME_BYTES_MAX];
    size_t count = encode(frame, bytes);
    return count == predicted->bytes && memcmp(bytes, predicted->data, count) == 0;
}

void ls_prediction_confirm(ls_prediction *prediction, const ls_frame *frame)
{
    LS_ASSERT(frame->tick + 1 == ls_world_tick(prediction->config.confirmed));
    ls_input_prediction_confirm(&prediction->inputs, frame);
    if (!prediction->world)
        return;
    if (frame->tick >= ls_world_tick(prediction->world)) {
        mark_wrong(prediction, frame->tick); /* not predicted: catch up */
        return;
    }
    bool is_right = frame->tick < prediction->wrong_from && is_as_predicted(prediction, frame);
    prediction->stats.hits += is_right;
    prediction->stats.misses += !is_right;
    if (!is_right)
        mark_wrong(prediction, frame->tick);
}

static void restore(ls_prediction *prediction)
{
    ls_world_copy(prediction->world, prediction->config.confirmed);
    if (prediction->previous)
        ls_world_copy(prediction->previous, prediction->world);
    ls_input_prediction_rewind(&prediction->inputs);
    prediction->wrong_from = NEVER;
}

void ls_prediction_restart(ls_prediction *prediction, uint8_t player)
{
    const ls_world *confirmed = prediction->config.confirmed;
    prediction->config.player = player;
    ls_input_prediction_init(&prediction->inputs, ls_world_tick(confirmed),
                             ls_world_match(confirmed)->player_count, prediction->config.player);
    if (prediction->world)
        restore(prediction);
}

static void go_back(ls_prediction *prediction)
{
    uint64_t reached = ls_world_tick(prediction->world);
    ls_prediction_stats *stats = &prediction->stats;
    if (reached > prediction->wrong_from) {
        uint64_t depth = reached - prediction->wrong_from;
        stats->rollbacks++;
        stats->rollback_ticks += depth;
        if (depth > stats->depth_max)
            stats->depth_max = (uint32_t)depth;
    }
    restore(prediction);
}

static ls_status predict_tick(ls_prediction *prediction, ls_error *error)
{
    uint64_t tick = ls_world_tick(prediction->world);
    ls_frame frame = ls_input_prediction_frame(&prediction->inputs, tick);
    body *kept = &prediction->bodies[tick % LS_CLIENT_PREDICT_TICKS];
    kept->bytes = (uint16_t)encode(&frame, kept->data);
    ls_status status =
        ls_world_advance(prediction->world, &frame, prediction->config.executor, error);
    if (status != LS_OK) {
        mark_wrong(prediction, tick);
        return status;
    }
    prediction->stats.ticks++;
    if (prediction->config.on_tick)
        prediction->config.on_tick(prediction->config.context, prediction->world);
    return LS_OK;
}

static uint64_t clamp_target(const ls_prediction *prediction, uint64_t target)
{
    uint64_t confirmed = ls_world_tick(prediction->config.confirmed);
    uint64_t reached = ls_world_tick(prediction->world);
    uint64_t max = confirmed + prediction->config.ticks_max;
    if (prediction->inputs.is_paused)
        return confirmed;
    if (target < reached)
        target = reached;
    return target < max ? target : max;
}

ls_status ls_prediction_update(ls_prediction *prediction, uint64_t target_tick, ls_error *error)
{
    if (!prediction->world)
        return LS_OK;
    uint64_t target = clamp_target(prediction, target_tick);
    if (prediction->wrong_from != NEVER)
        go_back(prediction);
    while (ls_world_tick(prediction->world) < target) {
        if (prediction->previous && ls_world_tick(prediction->world) + 1 == target)
            ls_world_copy(prediction->previous, prediction->world);
        ls_status status = predict_tick(prediction, error);
        if (status != LS_OK)
            return status;
    }
    return LS_OK;
}

const ls_world *ls_prediction_world(const ls_prediction *prediction)
{
    return prediction->world ? prediction->world : prediction->config.confirmed;
}

const ls_world *ls_prediction_previous(const ls_prediction *prediction)
{
    return prediction->previous;
}

ls_prediction_stats ls_prediction_get_stats(const ls_prediction *prediction)
{
    return prediction->stats;
}
