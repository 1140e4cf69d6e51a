#include "check_sim.h"

enum { POPULATION = 300 };

static const char *const moods[] = {"calm", "cross", "wild"};
static const ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_I32),
                                        LS_FIELD(place, y, LS_TYPE_I32)};
static const ls_field health_fields[] = {
    LS_FIELD(health, left, LS_TYPE_I32), LS_FIELD_ENUM(health, mood, moods),
    LS_FIELD(health, is_ill, LS_TYPE_BOOL), LS_FIELD(health, spare, LS_TYPE_U8),
    LS_FIELD_ENTITY(health, friend, LS_NULL)};
static const ls_field tally_fields[] = {LS_FIELD(tally, sum, LS_TYPE_U32),
                                        LS_FIELD(tally, spare, LS_TYPE_U32)};
const ls_component places = LS_COMPONENT_TABLE(place, "place", place_fields);
const ls_component healths = LS_COMPONENT_TABLE(health, "health", health_fields);
const ls_component tallies = LS_SINGLETON_TABLE(tally, "tally", tally_fields);
const ls_component bells = LS_EVENT_TABLE(tally, "bell", tally_fields);
const ls_component notes = LS_COMPONENT_TABLE(tally, "note", tally_fields);
static const ls_component *const components[] = {&places, &healths, &tallies, &bells, &notes};

static void populate(ls_context *context, const ls_entity *entities)
{
    for (int32_t i = 0; i < POPULATION; i++) {
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, 0, entity, &(place){i, 2 * i});
        if (i % 2 == 0)
            ls_cell_attach(context, 1, entity, &(health){.left = i, .friend = entity});
    }
}

static const ls_system setup = {
    .name = "setup",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(places), LS_OTHERS_STRUCTURE(healths)),
    .lanes = "a"};

ls_sim check_sim(const ls_system *systems, uint32_t count)
{
    static const char *const lanes[] = {"a"};
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = count;
    sim.setup = &setup;
    return sim;
}

void check_finds(const ls_sim *sim, const char *const *words)
{
    harness self;
    harness_begin(&self, sim, 1);
    ls_executor *executor = harness_checker();
    uint64_t root = ls_world_root(self.world);
    size_t count, again;
    uint8_t *bytes, *same;
    ls_snapshot *kept = ls_world_snapshot(self.world);
    ls_snapshot_encode(kept, &bytes, &count);
    const ls_frame frame = {.tick = 0};
    ls_error error = {""};
    assert_int_equal(ls_world_advance(self.world, &frame, executor, &error), LS_ERROR_DIVERGED);
    for (; *words; words++) {
        if (!strstr(error.text, *words))
            fail_msg("\"%s\" is not in \"%s\"", *words, error.text);
    }
    assert_int_equal(ls_world_tick(self.world), 0);
    same = harness_bytes(self.world, &again);
    assert_int_equal(again, count);
    assert_memory_equal(same, bytes, count);
    assert_int_equal(ls_world_root(self.world), root);
    ls_free(same);
    ls_snapshot_encode(kept, &same, &again);
    assert_memory_equal(same, bytes, count);
    ls_free(same);
    ls_free(bytes);
    ls_snapshot_destroy(kept);
    ls_executor_destroy(executor);
    harness_end(&self);
}
