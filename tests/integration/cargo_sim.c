#include "cargo_sim.h"

#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/random.h>

enum { CRATE_WORDS = 8 };

typedef struct crate {
    uint64_t words[CRATE_WORDS];
} crate;

static const ls_field crate_fields[] = {LS_FIELD(crate, words, LS_TYPE_U64)};
static const ls_component crates = LS_COMPONENT_TABLE(crate, "crate", crate_fields);
static const ls_component *const components[] = {&crates};

static void load_crates(ls_context *context, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        crate made;
        for (uint32_t k = 0; k < CRATE_WORDS; k++)
            made.words[k] = ls_random_draw(ls_random_root(i), k);
        ls_cell_attach(context, 0, ls_spawn(context, 0), &made);
    }
}

static void load(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    load_crates(context, CARGO_CRATES);
}

static void load_whole(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    load_crates(context, CARGO_WHOLE_CRATES);
}

static void load_large(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    load_crates(context, CARGO_LARGE_CRATES);
}

static void rest(ls_context *context, const ls_entity *entities)
{
    (void)context;
    (void)entities;
}

#define SETUP(function)                                                                            \
    {                                                                                              \
        .name = "load", .mode = LS_SEQUENTIAL, .match = function,                                  \
        .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(crates)), .lanes = "crates"                      \
    }

static const ls_system setup = SETUP(load), whole_setup = SETUP(load_whole);
static const ls_system large_setup = SETUP(load_large);
static const ls_system systems[] = {{.name = "rest", .mode = LS_SEQUENTIAL, .match = rest}};
static const char *const lanes[] = {"crates"};

static bool takes(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    (void)match;
    (void)player;
    return bytes != NULL && count > 0;
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)player;
    return ls_world_tick(world) % 8 == 0;
}

#define CARGO(title, system)                                                                       \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = title, .version = "1", .tick_rate = 60, .player_count = 4,      \
        .components = components, .component_count = LS_COUNT_OF(components), .systems = systems,  \
        .system_count = LS_COUNT_OF(systems), .setup = &(system), .lanes = lanes,                  \
        .lane_count = LS_COUNT_OF(lanes), .input_is_valid = takes, .bot = bot                      \
    }

const ls_sim cargo_sim = CARGO("cargo", setup);
const ls_sim cargo_whole_sim = CARGO("cargo_whole", whole_setup);
const ls_sim cargo_large_sim = CARGO("cargo_large", large_setup);
