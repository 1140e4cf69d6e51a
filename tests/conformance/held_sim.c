/* A simulation that uses everything a frame can contain: state inputs of two bytes in every tick,
 * and orders of one to eight bytes. */
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

typedef struct sum {
    uint64_t total;
} sum;

static const ls_field sum_fields[] = {LS_FIELD(sum, total, LS_TYPE_U64)};
static const ls_component sum_component = LS_SINGLETON_TABLE(sum, "Sum", sum_fields);
static const ls_component *const components[] = {&sum_component};

static void add(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    sum *own = ls_singleton_write(context, 0);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++)
        for (uint32_t k = 0; k < frame->inputs[i].bytes; k++)
            own->total = own->total * 31 + frame->inputs[i].data[k];
}

static void begin(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    sum *own = ls_singleton_write(context, 0);
    own->total = 1;
}

static const ls_system systems[] = {{.name = "add",
                                     .mode = LS_SEQUENTIAL,
                                     .match = add,
                                     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sum_component))}};
static const ls_system setup = {.name = "begin",
                                .mode = LS_SEQUENTIAL,
                                .match = begin,
                                .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sum_component))};

/* Refuses orders that begin with 0xee. */
static bool is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    (void)match, (void)player;
    return count <= 8 && bytes[0] != 0xee;
}

static const ls_sim held = {
    .abi = LS_SIM_ABI,
    .name = "held",
    .version = "1",
    .summary = "adds what is held",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 60,
    .player_count = 2,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
    .input_is_valid = is_valid,
    .state_bytes = 2,
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &held;
}
