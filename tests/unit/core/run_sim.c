#include "run_sim.h"

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_I32)};
const ls_component numbers = LS_COMPONENT_TABLE(number, "number", number_fields);
const ls_component run_extras = LS_COMPONENT_TABLE(number, "extra", number_fields);
const ls_component left = LS_TAG_TABLE("left");
const ls_component right = LS_TAG_TABLE("right");
const ls_component *const run_components[4] = {&numbers, &run_extras, &left, &right};
const char *const run_lanes[2] = {"a", "b"};

run_population run_entities;

bool every_other(uint32_t lane, uint32_t i)
{
    return (lane + i) % 2 == 0;
}

bool last_of_page(uint32_t lane, uint32_t i)
{
    return lane == 1 && i % 256 == 255;
}

static void populate(ls_context *context, const ls_entity *entities)
{
    for (uint32_t lane = 0; lane < 2; lane++) {
        for (uint32_t i = 0; i < run_entities.counts[lane]; i++) {
            ls_entity entity = ls_spawn(context, lane);
            number cell = {(int32_t)(lane * 1000 + i)};
            if (!run_entities.has_number || run_entities.has_number(lane + 1, i))
                ls_cell_attach(context, 0, entity, &cell);
            if (run_entities.has_extra && run_entities.has_extra(lane + 1, i))
                ls_cell_attach(context, 1, entity, &cell);
            if (run_entities.has_left && run_entities.has_left(lane + 1, i))
                ls_cell_attach(context, 2, entity, NULL);
        }
    }
}

const ls_system run_setup = {.name = "populate",
                             .mode = LS_SEQUENTIAL,
                             .match = populate,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(numbers),
                                                   LS_OTHERS_STRUCTURE(run_extras),
                                                   LS_OTHERS_STRUCTURE(left)),
                             .lanes = "a, b"};

void run_begin(harness *self, const ls_system *system)
{
    static ls_sim sim;
    sim = (ls_sim){.abi = LS_SIM_ABI,
                   .name = "run",
                   .version = "1",
                   .tick_rate = 1,
                   .player_count = 1,
                   .components = run_components,
                   .component_count = LS_COUNT_OF(run_components),
                   .lanes = run_lanes,
                   .lane_count = LS_COUNT_OF(run_lanes),
                   .systems = system,
                   .system_count = 1,
                   .setup = &run_setup};
    harness_begin(self, &sim, 1);
}
