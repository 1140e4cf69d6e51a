/* Spawns in concurrent systems: which entity gets which slot, and how references to spawned
 * entities are resolved. */
#include "mutation_sim.h"

#include "core/run/merge.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"

#include "tests/support/sanitizer.h"

#include <string.h>

static const uint32_t *spawned_at(const ls_world *world, uint32_t lane, uint32_t slot)
{
    const tally *cell = ls_world_cell(world, &counts, ls_entity_make(lane, slot, 1));
    return cell ? &cell->value : NULL;
}

static bool bears(uint32_t i)
{
    return i % 3 != 1 && i / 256 != 4; /* one page in the middle spawns none */
}

static void bear_two(ls_context *context, const ls_span *span)
{
    const tally *own = ls_span_read(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        if (!bears(own[i].value))
            continue;
        ls_entity first = ls_spawn(context, 0), second = ls_spawn(context, 1);
        assert_false(ls_is_alive(context, first));
        assert_true(ls_cell_attach(context, 1, second, &(tally){own[i].value * 2 + 1}));
        assert_true(ls_cell_attach(context, 1, first, &(tally){own[i].value * 2}));
        assert_true(ls_cell_attach(context, 2, first, NULL));
        assert_true(first != second);
    }
}

static const ls_system bearing[] = {
    {.name = "bear",
     .span = bear_two,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(counts), LS_SPAWNS_WITH(marks),
                           LS_WITHOUT(marks)),
     .lanes = "c, b"}};

static void check_numbers(ls_world *world)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < population.count; i++) {
        if (!bears(i))
            continue;
        assert_non_null(spawned_at(world, LANE_C, next));
        assert_int_equal(*spawned_at(world, LANE_C, next), i * 2);
        assert_int_equal(*spawned_at(world, LANE_B, next), i * 2 + 1);
        assert_non_null(ls_world_cell(world, &marks, ls_entity_make(LANE_C, next, 1)));
        assert_null(ls_world_cell(world, &marks, ls_entity_make(LANE_B, next, 1)));
        next++;
    }
    assert_int_equal(ls_world_entity_count(world), population.count + 2 * next);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_spawn_order_are_numbered_by_match_and_not_by_worker)
{
    population.count = PARALLEL_POPULATION;
    mutations_agree(bearing, 1, check_numbers);
}

TEST(test_spawn_order_go_on_over_many_ticks)
{
    population.count = 700;
    mutations_agree(bearing, 5, NULL);
}

enum { OWN, OWN_LINK, BORN_LINK, SHOUTED, COMMANDED_LINK, COMMANDED_MARK };

/* Spawns twins. The parent refers to both; each twin refers to the other and to the parent. An
 * event and two commands name them. */
static void bear_twins(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0];
    uint32_t i = ((const tally *)ls_cell_find(context, OWN, self))->value;
    if (i % 2)
        return;
    ls_entity twins[2] = {ls_spawn(context, 0), ls_spawn(context, 0)};
    ls_cell_attach(context, OWN_LINK, self, &(link){{twins[0], twins[1]}});
    ls_cell_attach(context, BORN_LINK, twins[0], &(link){{twins[1], self}});
    ls_event_send(context, SHOUTED, &(shout){.who = twins[1], .value = i});
    ls_command_attach(context, COMMANDED_LINK, twins[1], &(link){{twins[0], self}});
    ls_command_attach(context, COMMANDED_MARK, twins[0], NULL);
}

/* To another system in the same tick no handle is pending any more. */
static void receive_twins(ls_context *context, const ls_entity *entities)
{
    total *all = ls_singleton_write(context, 1);
    ls_event_walk walk;
    ls_event_begin(context, 0, &walk);
    for (const shout *heard; (heard = ls_event_next(&walk)); all->few++) {
        assert_int_equal(heard->who, ls_entity_make(LANE_B, heard->value + 1, 1));
        assert_true(ls_is_alive(context, heard->who));
        const link *sibling = ls_cell_find(context, 2, heard->who - 1);
        assert_int_equal(sibling->to[0], heard->who);
        assert_null(ls_cell_find(context, 2, heard->who)); /* attached by a command, so not yet */
    }
}

static const ls_system twins[] = {
    {.name = "twins",
     .match = bear_twins,
     .terms = LS_TERM_LIST([OWN] = LS_READS(counts), [OWN_LINK] = LS_ATTACHES(links),
                           [BORN_LINK] = LS_SPAWNS_WITH(links), [SHOUTED] = LS_SENDS(shouts),
                           [COMMANDED_LINK] = LS_COMMANDED(links),
                           [COMMANDED_MARK] = LS_COMMANDED(marks)),
     .lanes = "b"},
    {.name = "witness",
     .mode = LS_SEQUENTIAL,
     .match = receive_twins,
     .terms = LS_TERM_LIST(LS_RECEIVES(shouts), LS_OTHERS_WRITE(totals), LS_OTHERS_READ(links)),
     .after = "twins"},
};

static void check_twins(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i += 2) {
        ls_entity first = ls_entity_make(LANE_B, i, 1), second = ls_entity_make(LANE_B, i + 1, 1);
        const link *parent = mutation_cell(world, &links, i);
        const link *one = ls_world_cell(world, &links, first);
        const link *two = ls_world_cell(world, &links, second);
        assert_true(parent->to[0] == first && parent->to[1] == second);
        assert_true(one->to[0] == second && one->to[1] == mutation_entity(i));
        assert_true(two->to[0] == first && two->to[1] == mutation_entity(i));
        assert_non_null(ls_world_cell(world, &marks, first));
        assert_null(ls_world_cell(world, &marks, second));
    }
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, (population.count + 1) / 2);
    assert_int_equal(world->state.dropped[LS_DROPPED_COMMANDS], 0);
}

TEST(test_spawn_order_references_become_the_right_entities)
{
    population.count = 2001;
    mutations_agree(twins, 1, check_twins);
}

/* Handles as a hostile input might contain, among them pending handles of other pages and
 * ordinals. */
static ls_entity forged(uint32_t i)
{
    static const uint32_t ordinals[] = {1, 2, 300, 1u << 20, UINT32_MAX};
    static const uint32_t pages[] = {
        0, LANE_A << 16, LANE_A << 16 | 1, LANE_A << 16 | 7, LANE_B << 16, 0xffffff};
    ls_entity entity = ls_pending_make(i & 1, pages[i / 2 % 6], ordinals[i / 12 % 5]);
    return i % 7 == 0 ? UINT64_MAX - i : entity;
}

/* Each page spawns one entity, with ordinal 0; forged() never produces its handle. */
static void forge(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0], fake = forged(ls_entity_slot(self));
    if (ls_entity_slot(self) % 256 == 0)
        ls_cell_attach(context, 1, self, &(link){{fake, ls_spawn(context, 0)}});
    else
        ls_cell_attach(context, 1, self, &(link){{fake, 0}});
    assert_false(ls_is_alive(context, fake));
    assert_false(ls_cell_attach(context, 2, fake, &(tally){99}));
    assert_false(ls_accumulate(context, 6, fake, &(tally){99}));
    assert_null(ls_cell_find(context, 7, fake));
    assert_false(ls_cell_has(context, 7, fake));
    ls_despawn(context, fake);
    ls_event_send(context, 3, &(shout){.who = fake, .value = 1});
    ls_command_attach(context, 4, fake, &(link){{fake, fake}});
    ls_command_detach(context, 5, fake);
    ls_command_attach(context, 4, self, &(link){{fake, self}});
}

static void receive_none(ls_context *context, const ls_entity *entities)
{
    ls_event_walk walk;
    ls_event_begin(context, 0, &walk);
    for (const shout *heard; (heard = ls_event_next(&walk));)
        assert_false(ls_is_alive(context, heard->who));
}

static const ls_system forging[] = {
    {.name = "forge",
     .match = forge,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_ATTACHES(links), LS_SPAWNS_WITH(counts),
                           LS_SENDS(shouts), LS_COMMANDED(links), LS_COMMANDED(counts),
                           LS_ACCUMULATES(counts, LS_ADD), LS_OTHERS_READ(counts)),
     .lanes = "b"},
    {.name = "receive",
     .mode = LS_SEQUENTIAL,
     .match = receive_none,
     .terms = LS_TERM_LIST(LS_RECEIVES(shouts)),
     .after = "forge"},
};

static void check_no_holder(ls_world *world)
{
    uint32_t pages = (population.count + 255) / 256;
    for (uint32_t slot = 0; slot < population.count; slot++) {
        const link *cell = mutation_cell(world, &links, slot);
        assert_false(ls_world_is_alive(world, cell->to[0]));
        assert_int_equal(cell->to[1], mutation_entity(slot)); /* the command came last */
        assert_int_equal(((const tally *)mutation_cell(world, &counts, slot))->value, slot);
    }
    assert_int_equal(ls_world_entity_count(world), population.count + pages);
    assert_int_equal(world->state.dropped[LS_DROPPED_COMMANDS], 2 * population.count);
    assert_int_equal(world->state.dropped[LS_DROPPED_VALUES], 0);
}

TEST(test_spawn_order_forged_handles_name_nobody)
{
    population.count = PARALLEL_POPULATION;
    mutations_agree(forging, 1, check_no_holder);
}

/* In a system without a lane to spawn into, no handle is pending. */
static void forge_alone(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 100; i++)
        assert_false(ls_cell_attach(context, 1, forged(i), NULL));
    assert_false(ls_cell_attach(context, 1, ls_pending_make(false, LANE_A << 16, 0), NULL));
    assert_false(ls_cell_attach(context, 1, entities[0], NULL));
}

static const ls_system alone[] = {{.name = "alone",
                                   .match = forge_alone,
                                   .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(marks))}};

TEST(test_spawn_order_of_a_system_without_lanes_are_none)
{
    population.count = 3;
    mutations_agree(alone, 1, NULL);
}

/* SPAWNS_WITH does not reach what another system spawned, which systems without an order with this
 * one may read. */
static ls_entity newborn;

static void bear_alone(ls_context *context, const ls_entity *entities)
{
    newborn = ls_spawn(context, 0);
    assert_true(ls_cell_attach(context, 0, newborn, &(tally){1}));
}

static void poke(ls_context *context, const ls_entity *entities)
{
    assert_false(ls_cell_attach(context, 0, newborn, &(tally){1000}));
}

static void look_at(ls_context *context, const ls_entity *entities)
{
    const tally *seen = ls_cell_find(context, 0, entities[0]);
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(total){.sum = seen->value});
}

static const ls_system strangers[] = {
    {.name = "bear",
     .mode = LS_SEQUENTIAL,
     .match = bear_alone,
     .terms = LS_TERM_LIST(LS_SPAWNS_WITH(extras)),
     .lanes = "b"},
    {.name = "poke",
     .mode = LS_SEQUENTIAL,
     .match = poke,
     .terms = LS_TERM_LIST(LS_SPAWNS_WITH(extras)),
     .lanes = "c",
     .after = "bear"},
    {.name = "look",
     .match = look_at,
     .terms = LS_TERM_LIST(LS_READS(extras), LS_ACCUMULATES(totals, LS_ADD), LS_IN_LANE("b")),
     .after = "bear"}};

TEST(test_spawn_order_strangers_are_not_attached_to)
{
    mutations_agree(strangers, LS_COUNT_OF(strangers), NULL);
}

enum { ROOM = 5, PARENTS = 600 };

static void bear_one(ls_context *context, const ls_entity *entities)
{
    ls_entity born = ls_spawn(context, 0);
    uint32_t i = ls_entity_slot(entities[0]);
    assert_true(ls_cell_attach(context, 1, born, &(tally){i}));
    ls_cell_attach(context, 2, entities[0], &(link){{born, entities[0]}});
    ls_event_send(context, 3, &(shout){.who = born});
    ls_command_attach(context, 4, born, NULL);
}

static const ls_system crowded[] = {
    {.name = "crowd",
     .match = bear_one,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(extras), LS_ATTACHES(links),
                           LS_SENDS(shouts), LS_COMMANDED(marks)),
     .lanes = "c"}};

static void check_crowd(ls_world *world)
{
    ls_event_walk walk;
    ls_world_event_begin(world, &shouts, &walk);
    for (uint32_t i = 0; i < PARENTS; i++) {
        const link *parent = mutation_cell(world, &links, i);
        const shout *sent = ls_event_next(&walk);
        ls_entity born =
            i < ROOM ? ls_entity_make(LANE_C, LS_SLOTS_MAX - ROOM + i, 1) : LS_ENTITY_NULL;
        assert_int_equal(parent->to[0], born);
        assert_int_equal(sent->who, born);
        assert_int_equal(parent->to[1], mutation_entity(i));
        if (born)
            assert_int_equal(((const tally *)ls_world_cell(world, &extras, born))->value, i);
    }
    assert_int_equal(world->state.refused_spawns[LANE_C], PARENTS - ROOM);
    assert_int_equal(world->state.dropped[LS_DROPPED_COMMANDS], PARENTS - ROOM);
}

/* Fills the lane once, directly in the store; a snapshot restores it for each executor. */
TEST(test_spawn_order_beyond_a_full_lane_are_dropped_from_the_end)
{
    if (HAS_THREAD_SANITIZER)
        skip(); /* filling the lane on one thread takes almost a minute */
    static const struct {
        uint32_t threads, shuffle_seed;
    } executors[] = {{1, 0}, {2, 0}, {4, 0}, {1, 9}};
    population.count = PARENTS;
    harness self;
    harness_begin(&self, mutation_sim(crowded, 1), 1);
    ls_store_own(self.world, ls_liveness(self.world));
    for (uint32_t i = 0; i < LS_SLOTS_MAX - ROOM; i++)
        ls_store_spawn(self.world, LANE_C);
    ls_world_state_changed(self.world);
    ls_snapshot *full = ls_world_snapshot(self.world);
    uint64_t root = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        ls_executor *executor = harness_executor(executors[i].threads, executors[i].shuffle_seed);
        ls_world_restore(self.world, full);
        assert_int_equal(self.world->state.refused_spawns[LANE_C], 0);
        harness_tick(self.world, executor);
        check_crowd(self.world);
        root = root ? root : ls_world_root(self.world);
        assert_int_equal(ls_world_root(self.world), root);
        ls_executor_destroy(executor);
    }
    self.world->state.refused_spawns[LANE_C]++;
    assert_true(ls_world_root(self.world) != root); /* the counter is part of the state */
    ls_snapshot_destroy(full);
    harness_end(&self);
}

static void bear_marked(ls_context *context, const ls_entity *entities)
{
    ls_cell_attach(context, 1, ls_spawn(context, 0), NULL);
}

static void count_marked(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_is_alive(context, entities[0]));
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(total){.few = 1});
}

/* Guesses the next handle of a lane while another system spawns into it. */
static void guess(ls_context *context, const ls_entity *entities)
{
    uint64_t born_before = ls_tick(context) * population.count;
    ls_entity next = ls_entity_make(LANE_B, (uint32_t)born_before, 1);
    assert_false(ls_is_alive(context, next));
    if (born_before)
        assert_true(ls_is_alive(context, next - 1));
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(total){.many = 1});
}

static const ls_system seen[] = {
    {.name = "bear",
     .match = bear_marked,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(marks)),
     .lanes = "b"},
    {.name = "see",
     .match = count_marked,
     .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(totals, LS_ADD)),
     .after = "bear"},
    {.name = "guess",
     .match = guess,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_ACCUMULATES(totals, LS_ADD))},
};

static void check_seen(ls_world *world)
{
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, (1 + 2 + 3) * population.count);
    assert_int_equal(all->many, 3 * population.count);
}

TEST(test_spawn_order_show_to_successors_at_once_and_to_others_next_tick)
{
    population.count = 900;
    mutations_agree(seen, 3, check_seen);
}

static void bear_at_once(ls_context *context, const ls_entity *entities)
{
    ls_entity born = ls_spawn(context, 0);
    assert_true(ls_is_alive(context, born));
    for (uint32_t i = 0; i < 3; i++) /* the result must not be cached */
        assert_null(ls_cell_find(context, 2, born));
    assert_true(ls_cell_attach(context, 1, born, &(tally){7}));
    assert_true(ls_cell_has(context, 2, born));
    assert_int_equal(((const tally *)ls_cell_find(context, 2, born))->value, 7);
    assert_false(ls_cell_attach(context, 1, entities[0], &(tally){8}));
    assert_false(ls_cell_attach(context, 1, LS_ENTITY_NULL, NULL));
}

static const ls_system at_once[] = {
    {.name = "bear",
     .mode = LS_SEQUENTIAL,
     .match = bear_at_once,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(extras), LS_OTHERS_READ(extras)),
     .lanes = "c"}};

static void check_at_once(ls_world *world)
{
    assert_non_null(ls_world_cell(world, &extras, ls_entity_make(LANE_C, 9, 1)));
    assert_null(ls_world_cell(world, &extras, mutation_entity(0)));
}

TEST(test_spawn_order_terms_attach_to_newborns_alone)
{
    population.count = 5;
    mutations_agree(at_once, 2, check_at_once);
}

static void roll_dice(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 2; i++) {
        ls_entity born = ls_spawn(context, 0);
        ls_cell_attach(context, 1, born, &(tally){(uint32_t)ls_random(context, born, 0)});
    }
}

static const ls_system dice[] = {{.name = "dice",
                                  .match = roll_dice,
                                  .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(extras)),
                                  .lanes = "b"}};

static void check_dice(ls_world *world)
{
    for (uint32_t slot = 1; slot < 2 * population.count; slot++) {
        const tally *one = ls_world_cell(world, &extras, ls_entity_make(LANE_B, slot - 1, 1));
        const tally *two = ls_world_cell(world, &extras, ls_entity_make(LANE_B, slot, 1));
        assert_true(one->value != two->value);
    }
}

TEST(test_spawn_order_draw_random_numbers_of_their_own)
{
    population.count = 1000;
    mutations_agree(dice, 1, check_dice);
}
