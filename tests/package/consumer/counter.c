/* The smallest simulation: four counters; each grows by the inputs of its player. */
#include <lockstep/lockstep.h>

#include <stdio.h>

LS_COMPONENT(counter, U32(player), U32(value));
LS_COMPONENTS(components, counter);
LS_TERMS(growing, WRITES(counter));
LS_TERMS(starting, OTHERS_STRUCTURE(counter));

static void grow(ls_context *context, const ls_span *span)
{
    LS_USES(context, growing);
    counter *cells = LS_WRITE_SPAN(context, counter, span);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < span->count; i++) {
        cells[i].value++;
        for (uint32_t k = 0; k < frame->count; k++)
            if (frame->inputs[k].player == cells[i].player && frame->inputs[k].kind == LS_INPUT)
                cells[i].value += frame->inputs[k].data[0];
    }
}

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, starting);
    for (uint32_t i = 0; i < ls_match_of(context)->player_count; i++)
        LS_ATTACH(context, counter, ls_spawn(context, 0), .player = i);
}

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    (void)match, (void)player, (void)bytes;
    return count == 1;
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)(ls_world_tick(world) % (player + 2));
    return 1;
}

static const char *const lanes[] = {"counters"};
static const ls_system systems[] = {{
    .name = "grow",
    .mode = LS_CONCURRENT,
    .span = grow,
    .terms = growing,
}};
static const ls_system setup = {
    .name = "start",
    .mode = LS_SEQUENTIAL,
    .match = start,
    .terms = starting,
    .lanes = "counters",
};
static const ls_sim sim = {
    .abi = LS_SIM_ABI,
    .name = "counter",
    .version = "1",
    .summary = "four counters",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 4,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
    .input_is_valid = input_is_valid,
    .bot = bot,
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void);
LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &sim;
}
