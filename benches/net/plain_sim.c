#include "benches/net/plain_sim.h"

#include "benches/bench.h"
#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/world.h>

#include <string.h>

#define SLOW_NS UINT64_C(50000000)

typedef struct tally {
    uint64_t ticks, inputs;
} tally;

static const ls_field tally_fields[] = {LS_FIELD(tally, ticks, LS_TYPE_U64),
                                        LS_FIELD(tally, inputs, LS_TYPE_U64)};
static const ls_component tally_component = LS_SINGLETON_TABLE(tally, "tally", tally_fields);
static const ls_component *const components[] = {&tally_component};

static void count(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    tally *own = ls_singleton_write(context, 0);
    own->ticks++;
    own->inputs += ls_inputs(context)->count;
}

static void count_slowly(ls_context *context, const ls_entity *entities)
{
    uint64_t until_ns = bench_now_ns() + SLOW_NS;
    count(context, entities);
    while (bench_now_ns() < until_ns)
        continue;
}

static const ls_system count_systems[] = {
    {.name = "count",
     .mode = LS_SEQUENTIAL,
     .match = count,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tally_component))}};
static const ls_system slow_systems[] = {{.name = "count",
                                          .mode = LS_SEQUENTIAL,
                                          .match = count_slowly,
                                          .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tally_component))}};

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t bytes_count)
{
    (void)bytes;
    return player < match->player_count && bytes_count >= 4 && bytes_count <= 8;
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    uint64_t tick = ls_world_tick(world);
    memcpy(bytes, &tick, sizeof tick);
    bytes[7] = (uint8_t)player;
    return 8;
}

#define PLAIN(given_name, rate, given_systems)                                                     \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = given_name, .version = "1", .summary = "counts its inputs",     \
        .source_hash = given_name, .tick_rate = rate, .player_count = 8, .components = components, \
        .component_count = LS_COUNT_OF(components), .systems = given_systems,                      \
        .system_count = LS_COUNT_OF(given_systems), .input_is_valid = input_is_valid, .bot = bot   \
    }
const ls_sim plain_sim = PLAIN("plain", 60, count_systems);
const ls_sim slow_sim = PLAIN("slow", 10, slow_systems);
