#include "harness.h"
#include "sample_sim.h"

static int begin(void **state)
{
    static harness self;
    harness_begin(&self, &sample_sim, 11);
    *state = &self;
    return 0;
}

static void expect_wrong(ls_world *world, const ls_frame *frame, const char *word)
{
    uint64_t root = ls_world_root(world), tick = ls_world_tick(world);
    ls_error error = {""};
    assert_int_equal(ls_world_advance(world, frame, NULL, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, word));
    assert_int_equal(ls_world_advance(world, frame, NULL, NULL), LS_ERROR_USAGE);
    assert_int_equal(ls_world_root(world), root);
    assert_int_equal(ls_world_tick(world), tick);
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_world_refuses_frames_that_do_not_fit)
{
    ls_world *world = ((harness *)*state)->world;
    harness_tick(world, NULL);
    harness_tick(world, NULL);
    const uint64_t ticks[] = {0, 1, 3, UINT64_MAX};
    for (uint32_t i = 0; i < LS_COUNT_OF(ticks); i++)
        expect_wrong(world, &(ls_frame){.tick = ticks[i]}, "the world is at 2");
    const ls_input stranger = {.player = 2, .kind = LS_JOIN};
    expect_wrong(world, &(ls_frame){2, 1, &stranger}, "player 2");
    const ls_input odd = {.player = 1, .kind = LS_RESUME + 1};
    expect_wrong(world, &(ls_frame){2, 1, &odd}, "kind 7");
    const ls_input server = {.player = 2, .kind = LS_PAUSE};
    assert_int_equal(ls_world_advance(world, &(ls_frame){2, 1, &server}, NULL, NULL), LS_OK);
    expect_wrong(world, &(ls_frame){2, 1, &server}, "the world is at 3");
    const ls_input disorder[] = {{.player = 1, .kind = LS_JOIN}, {.player = 0, .kind = LS_JOIN}};
    expect_wrong(world, &(ls_frame){3, 2, disorder}, "ordered by player");
}

TEST(test_world_is_a_function_of_match_and_inputs)
{
    harness *self = *state;
    ls_world *again = harness_world(self);
    ls_world *without = harness_world(self);
    bool is_different = false;
    for (uint32_t tick = 0; tick < 40; tick++) {
        sample_frame sample;
        sample_frame_init(&sample, self->world);
        assert_int_equal(ls_world_advance(self->world, &sample.frame, NULL, NULL), LS_OK);
        assert_int_equal(ls_world_advance(again, &sample.frame, NULL, NULL), LS_OK);
        harness_tick(without, NULL);
        assert_int_equal(ls_world_root(self->world), ls_world_root(again));
        is_different |= ls_world_root(without) != ls_world_root(again);
    }
    assert_true(is_different);
    ls_world_destroy(again);
    ls_world_destroy(without);
}

TEST(test_world_tells_what_it_was_made_of)
{
    harness *self = *state;
    assert_ptr_equal(ls_world_program(self->world), self->program);
    assert_int_equal(ls_world_match(self->world)->seed, 11);
    assert_int_equal(ls_world_tick(self->world), 0);
    harness_tick(self->world, NULL);
    assert_int_equal(ls_world_tick(self->world), 1);
    ls_world_destroy(NULL);
}

TEST(test_world_without_systems_ticks)
{
    static const ls_sim sim = {
        .abi = LS_SIM_ABI, .name = "nothing", .version = "1", .tick_rate = 1, .player_count = 1};
    harness self;
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    ls_executor *executor = harness_executor(2, 0);
    harness_tick(self.world, executor);
    assert_int_not_equal(ls_world_root(self.world), root);
    assert_int_equal(ls_world_entity_count(self.world), 0);
    assert_false(ls_world_flip_bit(self.world, 3, NULL, 0));
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_OK);
    ls_free(bytes);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_world_flip_bit_changes_the_cell_that_it_names)
{
    harness *self = *state;
    for (uint32_t tick = 0; tick < 10; tick++)
        harness_tick(self->world, NULL);
    uint32_t columns = ls_program_column_count(self->program);
    uint64_t before[LS_COMPONENTS_MAX], after[LS_COMPONENTS_MAX];
    ls_snapshot *snapshot = ls_world_snapshot(self->world);
    uint64_t root = ls_world_root(self->world);
    uint64_t random = harness_seed("test_world_flip_bit_changes_the_cell_that_it_names");
    for (uint32_t round = 0; round < 200; round++) {
        char what[128] = "", again[128];
        uint64_t pick = round < 100 ? round : test_random(&random);
        ls_world_column_hashes(self->world, before);
        assert_true(ls_world_flip_bit(self->world, pick, what, sizeof what));
        assert_int_not_equal(ls_world_root(self->world), root);
        ls_world_column_hashes(self->world, after);
        uint32_t changed = columns;
        for (uint32_t column = 0; column < columns; column++) {
            if (before[column] == after[column])
                continue;
            assert_int_equal(changed, columns);
            changed = column;
        }
        assert_true(changed < columns);
        const char *name = ls_program_component(self->program, changed)->name;
        assert_int_equal(strncmp(what, name, strlen(name)), 0);
        assert_int_equal(what[strlen(name)], '.');
        assert_non_null(strstr(what, " of "));
        /* The same pick undoes the flip: it selects the same single bit. */
        assert_true(ls_world_flip_bit(self->world, pick, again, sizeof again));
        assert_string_equal(what, again);
        assert_int_equal(ls_world_root(self->world), root);
    }
    ls_world_restore(self->world, snapshot);
    assert_int_equal(ls_world_root(self->world), root);
    ls_snapshot_destroy(snapshot);
}

LS_COMPONENT(stone, U32(weight));
LS_SINGLETON(total, U32(weight), U32(count));
LS_TAG(polished);
LS_EVENT(news, U32(number));
LS_COMPONENTS(stones, stone, total, polished, news);

LS_TERMS(quarrying, OTHERS_STRUCTURE(stone));
static void quarry(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, quarrying);
    ls_entity made[10];
    ls_spawn_many(context, 0, LS_COUNT_OF(made), made);
    for (uint32_t i = 0; i < LS_COUNT_OF(made); i++)
        LS_ATTACH(context, stone, made[i], .weight = i);
    ls_despawn(context, made[9]); /* takes effect at the sync point of this setup */
}

LS_TERMS(polishing, WRITES(stone), ATTACHES(polished));
static void polish(ls_context *context, const ls_span *span)
{
    LS_USES(context, polishing);
    stone *self = LS_WRITE_SPAN(context, stone, span);
    for (uint32_t i = 0; i < span->count; i++) {
        self[i].weight += 100;
        if (i % 2)
            LS_ATTACH_TAG(context, polished, ls_span_entity(span, i));
    }
}

LS_TERMS(weighing, READS(stone), WITH(polished), WRITES_SINGLETON(total));
static void weigh(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, weighing);
    total *all = LS_WRITE_SINGLETON(context, total);
    all->weight += LS_READ(context, stone, entities[0])->weight;
    all->count++;
}

TESTS_AROUND(NULL, NULL);

TEST(test_world_runs_setups_one_after_another)
{
    static const ls_system setups[] = {
        {.name = "quarry",
         .mode = LS_SEQUENTIAL,
         .match = quarry,
         .lanes = "world",
         .terms = quarrying},
        {.name = "polish", .span = polish, .terms = polishing},
        {.name = "weigh", .mode = LS_SEQUENTIAL, .match = weigh, .terms = weighing}};
    static const ls_system systems[] = {
        {.name = "again", .mode = LS_SEQUENTIAL, .match = weigh, .terms = weighing}};
    ls_sim sim = HARNESS_SIM(stones, ((const char *[]){"a"}), systems);
    sim.setup = setups;
    sim.setup_count = LS_COUNT_OF(setups);
    harness self;
    harness_begin(&self, &sim, 3);
    const total *all = LS_WORLD_SINGLETON(self.world, total);
    assert_int_equal(all->count, 4);
    assert_int_equal(all->weight, 101 + 103 + 105 + 107);
    assert_int_equal(ls_world_tick(self.world), 0);
    harness_tick(self.world, NULL);
    assert_int_equal(LS_WORLD_SINGLETON(self.world, total)->count, 8);
    harness_end(&self);
    sim.setup_count = 2;
    harness_begin(&self, &sim, 3);
    assert_int_equal(LS_WORLD_SINGLETON(self.world, total)->count, 0);
    harness_end(&self);
}

LS_TERMS(announcing, SENDS(news));
static void announce(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, announcing);
    LS_SEND(context, news, .number = 1);
}

TEST(test_world_refuses_events_of_a_setup)
{
    static const ls_system setup = {
        .name = "announce", .mode = LS_SEQUENTIAL, .match = announce, .terms = announcing};
    ls_sim sim = HARNESS_STORE(stones, ((const char *[]){"a"}));
    sim.setup = &setup;
    assert_refused(&sim, LS_ERROR_USAGE, "setup \"announce\" has an event");
}
