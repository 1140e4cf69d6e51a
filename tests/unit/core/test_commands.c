/* Commands: what waits for the sync point, in which order commands are applied, and which are
 * dropped. */
#include "mutation_sim.h"

#include "core/run/merge.h"

static uint64_t dropped(const ls_world *world)
{
    return world->state.dropped[LS_DROPPED_COMMANDS];
}

/* Every entity commands a value onto entity 0, twice. The last call wins: that of the last match of
 * the last system in serial order. */
static void command_value(ls_context *context, const ls_entity *entities)
{
    uint32_t base = *(const uint32_t *)ls_system_data(context);
    uint32_t slot = ls_entity_slot(entities[0]);
    assert_true(!ls_cell_has(context, 2, mutation_entity(0)) || ls_tick(context) > 0);
    for (uint32_t call = 0; call < 2; call++) {
        tally value = {base + slot * 2 + call};
        ls_command_attach(context, 1, mutation_entity(0), &value);
    }
}

static const uint32_t bases[] = {1000000, 2000000, 3000000};

/* In the serial order "a" follows "z"; "m" has no order. */
#define COMMANDER(system, base, ...)                                                               \
    {                                                                                              \
        .name = system, .match = command_value, .data = &bases[base],                              \
        .terms = LS_TERM_LIST(LS_READS(counts), LS_COMMANDED(extras),                              \
                              LS_TERM(0, LS_OTHERS, LS_ACCESS_READ, extras)),                      \
        __VA_ARGS__                                                                                \
    }
static const ls_system ordered[] = {
    COMMANDER("a", 0, .after = "z"),
    COMMANDER("z", 1),
    COMMANDER("m", 2, .mode = LS_SEQUENTIAL),
};

static void check_last(ls_world *world)
{
    const tally *cell = mutation_cell(world, &extras, 0);
    assert_int_equal(cell->value, bases[0] + 2 * (population.count - 1) + 1);
    assert_int_equal(dropped(world), 0);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_commands_apply_by_system_match_and_call)
{
    population.count = 1500;
    mutations_agree(ordered, 2, check_last);
}

/* Commands a change and its reverse in one tick: calls of one invocation keep their order. */
static void change_and_undo(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    if (slot % 2 == 0) {
        ls_command_attach(context, 1, entities[0], NULL);
        ls_command_detach(context, 1, entities[0]);
        ls_command_detach(context, 1, entities[0]);
    } else {
        ls_command_detach(context, 1, entities[0]);
        ls_command_attach(context, 1, entities[0], NULL);
        ls_command_attach(context, 2, entities[0], &(tally){slot});
        ls_command_attach(context, 2, entities[0], NULL);
    }
}

static const ls_system undoing[] = {
    {.name = "undo",
     .match = change_and_undo,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_COMMANDED(marks), LS_COMMANDED(extras))}};

static void check_undone(ls_world *world)
{
    for (uint32_t slot = 0; slot < population.count; slot++) {
        bool has_mark = ls_world_cell(world, &marks, mutation_entity(slot));
        assert_int_equal(has_mark, slot % 2);
        if (has_mark)
            assert_int_equal(((const tally *)mutation_cell(world, &extras, slot))->value, 0);
    }
    assert_int_equal(dropped(world), 0); /* every command named a living entity */
}

TEST(test_commands_of_one_invocation_keep_their_order)
{
    population.count = 600;
    mutations_agree(undoing, 2, check_undone);
}

/* Entity i despawns itself in tick i; the others keep commanding all entities. */
static void command_all(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    for (uint32_t other = 0; other < population.count; other++)
        ls_command_attach(context, 1, mutation_entity(other), &(tally){slot});
    ls_command_detach(context, 2, LS_ENTITY_NULL);
    if (slot == ls_tick(context))
        ls_despawn(context, entities[0]);
}

static const ls_system dying[] = {
    {.name = "die",
     .match = command_all,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_COMMANDED(extras), LS_COMMANDED(marks))}};

static void check_dead(ls_world *world)
{
    /* In tick t there are n - t commanders, and t + 1 dead targets: t despawned entities and the
     * null handle. A command given in the tick of the despawn reaches a living entity; the value
     * goes with the entity. */
    uint64_t n = population.count, wanted = 0;
    for (uint64_t tick = 0; tick < 4; tick++)
        wanted += (n - tick) * (tick + 1);
    assert_int_equal(dropped(world), wanted);
    assert_int_equal(ls_world_entity_count(world), n - 4);
    for (uint32_t slot = 0; slot < n; slot++) {
        const tally *cell = ls_world_cell(world, &extras, mutation_entity(slot));
        assert_int_equal(cell != NULL, slot >= 4);
    }
}

TEST(test_commands_on_the_dead_are_dropped_and_counted)
{
    population.count = 10;
    mutations_agree(dying, 4, check_dead);
    harness self;
    harness_begin(&self, mutation_sim(dying, 1), 7);
    uint64_t root = ls_world_root(self.world);
    self.world->state.dropped[LS_DROPPED_COMMANDS]++;
    assert_true(ls_world_root(self.world) != root);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    ls_world *other = harness_world(&self);
    assert_int_equal(ls_world_decode(other, bytes, count, NULL), LS_OK);
    assert_int_equal(dropped(other), 1);
    ls_free(bytes);
    ls_world_destroy(other);
    harness_end(&self);
}

/* Commands of a despawned entity on other entities are still applied. */
static void bequeath(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    if (slot % 2 || ls_tick(context) > 0)
        return;
    ls_command_attach(context, 1, entities[0] + 1, &(tally){slot});
    ls_despawn(context, entities[0]);
}

static const ls_system bequeathing[] = {
    {.name = "bequeath",
     .match = bequeath,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_COMMANDED(extras))}};

static void check_heirs(ls_world *world)
{
    assert_int_equal(ls_world_entity_count(world), population.count / 2);
    for (uint32_t slot = 1; slot < population.count; slot += 2)
        assert_int_equal(((const tally *)mutation_cell(world, &extras, slot))->value, slot - 1);
}

TEST(test_commands_of_the_despawned_still_come)
{
    population.count = 1000;
    mutations_agree(bequeathing, 2, check_heirs);
}

enum { SPAWNED_LINK = 1, SPAWNED_COUNT };

/* Builds a chain of three entities by commands alone, with the commander at its end. */
static void command_chain(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    if (slot % 5 == 0)
        return;
    ls_entity chain[3];
    for (uint32_t i = 0; i < 3; i++) {
        chain[i] = ls_command_spawn(context, i % 2);
        assert_false(ls_is_alive(context, chain[i]));
    }
    ls_command_attach(context, SPAWNED_LINK, entities[0], &(link){{chain[0], 0}});
    for (uint32_t i = 0; i < 3; i++) {
        link next = {{i < 2 ? chain[i + 1] : entities[0], chain[0]}};
        ls_command_attach(context, SPAWNED_LINK, chain[i], &next);
        ls_command_attach(context, SPAWNED_COUNT, chain[i], &(tally){slot * 3 + i});
    }
    ls_command_detach(context, SPAWNED_COUNT, chain[1]);
}

#define CHAIN_TERMS LS_TERM_LIST(LS_WITH(counts), LS_COMMANDED(links), LS_COMMANDED(extras))
static const ls_system chaining[] = {
    {.name = "chain", .match = command_chain, .terms = CHAIN_TERMS, .command_lanes = "b, c"}};
/* The same in one segment, with another system that spawns into the same lanes by commands. */
static const ls_system chaining_in_turn[] = {
    {.name = "chain",
     .mode = LS_SEQUENTIAL,
     .match = command_chain,
     .terms = CHAIN_TERMS,
     .command_lanes = "b, c"},
    {.name = "later", .match = command_chain, .terms = CHAIN_TERMS, .command_lanes = "b, c"}};

static void check_chains(ls_world *world)
{
    uint32_t chains = 0;
    for (uint32_t slot = 0; slot < population.count; slot++) {
        const link *own = ls_world_cell(world, &links, mutation_entity(slot));
        assert_int_equal(own != NULL, slot % 5 != 0);
        if (!own)
            continue;
        ls_entity at = own->to[0], first = at;
        for (uint32_t i = 0; i < 3; i++) {
            const link *next = ls_world_cell(world, &links, at);
            const tally *value = ls_world_cell(world, &extras, at);
            assert_int_equal(ls_entity_lane(at), i % 2 ? LANE_C : LANE_B);
            assert_int_equal(next->to[1], first);
            assert_int_equal(value != NULL, i != 1);
            if (value)
                assert_int_equal(value->value, slot * 3 + i);
            at = next->to[0];
        }
        assert_int_equal(at, mutation_entity(slot));
        chains++;
    }
    assert_int_equal(dropped(world), 0);
    assert_true((ls_world_entity_count(world) - population.count) % (3 * chains) == 0);
}

/* Spawned entities get slots in the order of matches. */
static void check_first_chains(ls_world *world)
{
    check_chains(world);
    uint32_t next = 0;
    for (uint32_t slot = 0; slot < population.count; slot++) {
        if (slot % 5 == 0)
            continue;
        const link *own = mutation_cell(world, &links, slot);
        assert_int_equal(own->to[0], ls_entity_make(LANE_B, next, 1));
        next += 2;
    }
}

TEST(test_commands_spawn_and_refer_to_what_they_spawn)
{
    population.count = 1500;
    mutations_agree(chaining, 1, check_first_chains);
    mutations_agree(chaining, 3, check_chains);
    mutations_agree(chaining_in_turn, 2, check_chains);
}

/* Handles that look like those of a command's spawn. */
static void forge_commands(ls_context *context, const ls_entity *entities)
{
    uint32_t page = LANE_A << 16;
    ls_entity mine = ls_command_spawn(context, 0);
    const ls_entity fakes[] = {ls_pending_make(true, page + 9, 0),
                               ls_pending_make(true, page, 256),
                               ls_pending_make(true, LANE_B << 16, 0),
                               ls_pending_make(false, page, 0),
                               UINT64_MAX,
                               LS_PENDING_BIT,
                               LS_PENDING_BIT - 1};
    for (uint32_t i = 0; i < LS_COUNT_OF(fakes); i++) {
        ls_command_attach(context, SPAWNED_COUNT, fakes[i], NULL);
        ls_command_detach(context, SPAWNED_COUNT, fakes[i]);
        ls_command_attach(context, SPAWNED_LINK, mine, &(link){{fakes[i], entities[0]}});
    }
}

static const ls_system forging[] = {
    {.name = "forge", .match = forge_commands, .terms = CHAIN_TERMS, .command_lanes = "b"}};

static void check_forged(ls_world *world)
{
    assert_int_equal(dropped(world), 14 * population.count);
    assert_int_equal(ls_world_entity_count(world), 2 * population.count);
    for (uint32_t slot = 0; slot < population.count; slot++) {
        const link *cell = ls_world_cell(world, &links, ls_entity_make(LANE_B, slot, 1));
        assert_false(ls_world_is_alive(world, cell->to[0]));
        assert_int_equal(cell->to[1], mutation_entity(slot));
    }
}

TEST(test_commands_with_forged_handles_reach_nobody)
{
    population.count = 700;
    mutations_agree(forging, 1, check_forged);
}

static void command_at_setup(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 3; i++) {
        ls_entity born = ls_command_spawn(context, 0);
        ls_command_attach(context, 0, born, &(tally){i});
    }
    ls_command_attach(context, 0, LS_ENTITY_NULL, NULL);
}

TEST(test_commands_of_the_setup_run_once)
{
    const ls_system setup = {.name = "setup",
                             .mode = LS_SEQUENTIAL,
                             .match = command_at_setup,
                             .terms = LS_TERM_LIST(LS_COMMANDED(counts)),
                             .command_lanes = "c"};
    ls_sim sim = *mutation_sim(undoing, 1);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < 3; tick++) {
        assert_int_equal(ls_world_entity_count(self.world), 3);
        assert_int_equal(dropped(self.world), 1);
        for (uint32_t i = 0; i < 3; i++) {
            const tally *cell = ls_world_cell(self.world, &counts, ls_entity_make(LANE_C, i, 1));
            assert_int_equal(cell->value, i);
        }
        harness_tick(self.world, NULL);
    }
    harness_end(&self);
}

/* Gives too many commands: only its own last ones are dropped, none of the next system. */
static void command_too_many(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < LS_RECORDS_MAX - 1; i++)
        ls_command_detach(context, 0, mutation_entity(0));
    for (uint32_t i = 0; i < 5; i++)
        ls_command_attach(context, 0, mutation_entity(i), NULL);
}

static void command_one(ls_context *context, const ls_entity *entities)
{
    ls_command_attach(context, 0, mutation_entity(4), NULL);
}

TEST(test_commands_beyond_the_maximum_are_dropped_from_the_end)
{
    const ls_system many[] = {{.name = "many",
                               .mode = LS_SEQUENTIAL,
                               .match = command_too_many,
                               .terms = LS_TERM_LIST(LS_COMMANDED(marks))},
                              {.name = "one",
                               .mode = LS_SEQUENTIAL,
                               .match = command_one,
                               .terms = LS_TERM_LIST(LS_COMMANDED(marks))}};
    population.count = 5;
    harness self;
    harness_begin(&self, mutation_sim(many, 2), 1);
    harness_tick(self.world, NULL);
    assert_int_equal(dropped(self.world), 4);
    for (uint32_t slot = 0; slot < 5; slot++)
        assert_int_equal(ls_world_cell(self.world, &marks, mutation_entity(slot)) != NULL,
                         slot == 0 || slot == 4);
    harness_end(&self);
}
