/* Compares batch calls (for many handles) with single calls: two worlds of one simulation run one
 * form each, and every observable result must be equal. */
#include "batch_sim.h"

#include "core/run/run.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"

#define EACH_COMPONENT(term)                                                                       \
    term(batch_components[C0]), term(batch_components[C4]), term(batch_components[C8]),            \
        term(batch_components[C16]), term(batch_components[C24]), term(batch_components[C40]),     \
        term(batch_components[C100])

/* Makes single calls too, so that the cursor is at a page that the batch changes. */
static void touch(ls_context *context, uint32_t term, const ls_entity *entities, uint32_t count)
{
    if (count == 0)
        return;
    ls_entity entity = entities[test_below(&script->random, count)];
    uint32_t bytes = batch_components[term].bytes;
    uint32_t reading = term == C8 && test_below(&script->random, 2) ? COMPONENTS : term;
    for (uint32_t i = 0; i < 2; i++) {
        const void *cell = ls_cell_find(context, reading, entity);
        batch_note(batch_sum(&cell, 1, bytes));
        batch_note(ls_cell_has(context, term, entity));
    }
    uint32_t *cell = test_below(&script->random, 2) ? ls_cell_write(context, term, entity) : NULL;
    if (cell && bytes)
        *cell += 1;
    if (test_below(&script->random, 4) == 0)
        batch_note(ls_cell_attach(context, term, entity, NULL));
    else if (test_below(&script->random, 4) == 0)
        batch_note(ls_cell_detach(context, term, entity));
}

/* Moves the cursor to the page of the next spawn, which the spawn may then replace. */
static void stand_at_next_birth(ls_context *context, uint32_t term, uint32_t lane)
{
    uint32_t slot = ls_store_next_free(context->world, lane, 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_null(ls_cell_find(context, term, ls_entity_make(lane, slot, 1)));
}

static void bear(ls_context *context, uint32_t lane, ls_entity *born, uint32_t count)
{
    batch_note(batch_spawn(context, lane - LANE_A, count, born));
    for (uint32_t i = 0; i < count; i++) {
        batch_note(born[i]);
        if (ls_entity_slot(born[i]) < HOT)
            script->life[lane][ls_entity_slot(born[i])] = ls_entity_generation(born[i]);
    }
}

static void step(ls_context *context)
{
    static uint8_t bytes[COUNT_MAX * 100];
    ls_entity entities[COUNT_MAX];
    const void *cells[COUNT_MAX];
    uint64_t *random = &script->random;
    uint32_t term = test_below(random, COMPONENTS), size = batch_components[term].bytes;
    uint32_t count = batch_count(random);
    batch_pick(random, entities, count);
    touch(context, term, entities, count);
    const uint8_t *values = batch_values(random, bytes, (size_t)count * size);
    switch (test_below(random, 9)) {
    case 0:
        batch_note(batch_find(context, term, entities, count, cells));
        batch_note(batch_sum(cells, count, size));
        break;
    case 1:
    case 2:
    case 3:
        batch_note(batch_detach(context, term, entities, count));
        break;
    case 4:
        stand_at_next_birth(context, term, LANE_A + count % 2);
        bear(context, LANE_A + count % 2, entities, count);
        touch(context, term, entities, count);
        batch_note(batch_attach(context, term, entities, count, values, size));
        break;
    case 5:
        batch_despawn(context, entities, count < 65 ? count : 65);
        break;
    default:
        batch_note(batch_attach(context, term, entities, count, values, size));
    }
    touch(context, term, entities, count);
}

static void change(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 40; i++)
        step(context);
}

/* Writes none of the columns, so the batch lookup prefetches cells. */
static void look(ls_context *context, const ls_entity *none)
{
    for (uint32_t i = 0; i < 40; i++) {
        ls_entity entities[COUNT_MAX];
        const void *cells[COUNT_MAX];
        uint32_t term = test_below(&script->random, COMPONENTS);
        uint32_t count = batch_count(&script->random);
        batch_pick(&script->random, entities, count);
        batch_note(batch_find(context, term, entities, count, cells));
        batch_note(batch_sum(cells, count, batch_components[term].bytes));
    }
}

static const ls_system changing[] = {
    {.name = "change",
     .mode = LS_SEQUENTIAL,
     .match = change,
     .terms =
         LS_TERM_LIST(EACH_COMPONENT(LS_OTHERS_STRUCTURE), LS_OTHERS_READ(batch_components[C8])),
     .lanes = "a, b"},
    {.name = "look",
     .mode = LS_SEQUENTIAL,
     .match = look,
     .terms = LS_TERM_LIST(EACH_COMPONENT(LS_OTHERS_READ)),
     .after = "change"},
};

TEST(test_batch_of_anybody_is_one_after_the_other)
{
    batch_systems_agree("anybody", changing, 12, 0);
}

enum { OWN_4, OWN_0, OWN_8, OWN_16, OWN_40, OWN_24, START_8, OTHERS_4, NEWBORN_8, NEWBORN_100 };
static const uint32_t own_bytes[] = {4, 0, 8, 16, 40, 24, 8, 4, 8, 100};

static void pick_own(uint64_t *random, const ls_span *span, ls_entity *entities, uint32_t count)
{
    bool is_in_order = test_below(random, 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = is_in_order ? i % span->count : test_below(random, span->count);
        entities[i] = ls_span_entity(span, at);
        if (test_below(random, 8) == 0)
            entities[i] += (ls_entity)test_below(random, 5) << 32;
        else if (test_below(random, 8) == 0)
            entities[i] = LS_ENTITY_NULL;
    }
}

static uint64_t bear_own(ls_context *context, uint64_t *random, const uint8_t *values,
                         uint32_t count)
{
    ls_entity born[COUNT_MAX];
    uint32_t term = NEWBORN_8 + test_below(random, 2);
    uint64_t sum = batch_spawn(context, 0, count, born);
    for (uint32_t i = 0; i < count; i++)
        sum = sum * 31 + born[i];
    for (uint32_t i = 0; i < count; i++) {
        if (test_below(random, 8) == 0)
            born[i] += test_below(random, 3) ? 1u << test_below(random, 12) : 0;
    }
    return sum * 31 + batch_attach(context, term, born, count, values, own_bytes[term]);
}

static uint64_t step_own(ls_context *context, uint64_t *random, const ls_span *span)
{
    ls_entity entities[COUNT_MAX];
    const void *cells[COUNT_MAX];
    uint8_t bytes[COUNT_MAX * 100];
    uint32_t term = OWN_0 + test_below(random, 4), count = batch_count(random);
    const uint8_t *values = batch_values(random, bytes, sizeof bytes);
    pick_own(random, span, entities, count);
    switch (test_below(random, 6)) {
    case 0:
        term = START_8 + test_below(random, 2);
        batch_pick(random, entities, count);
        break;
    case 1:
        return batch_detach(context, term, entities, count);
    case 2:
        return bear_own(context, random, values, test_below(random, 9) ? 3 : count);
    case 3:
        batch_despawn(context, entities, count < 5 ? count : 5);
        return 0;
    case 4:
        break;
    default:
        return batch_attach(context, term, entities, count, values, own_bytes[term]);
    }
    uint32_t found = batch_find(context, term, entities, count, cells);
    return found + batch_sum(cells, count, own_bytes[term]);
}

/* Attaches the calls' results to the own entity as a cell. */
static void change_own(ls_context *context, const ls_span *span)
{
    uint64_t random = ls_random(context, ls_span_entity(span, 0), 0), sums[3] = {0};
    for (uint32_t i = 0; i < 12; i++)
        sums[i % 3] = sums[i % 3] * 31 + step_own(context, &random, span);
    ls_cell_attach(context, OWN_24, ls_span_entity(span, 0), sums);
}

static const ls_system changing_own[] = {
    {.name = "change",
     .span = change_own,
     .terms = LS_TERM_LIST(
         [OWN_4] = LS_READS(batch_components[C4]), [OWN_0] = LS_ATTACHES(batch_components[C0]),
         [OWN_8] = LS_ATTACHES(batch_components[C8]), [OWN_16] = LS_ATTACHES(batch_components[C16]),
         [OWN_40] = LS_ATTACHES(batch_components[C40]),
         [OWN_24] = LS_ATTACHES(batch_components[C24]),
         [START_8] = LS_OTHERS_START(batch_components[C8]),
         [OTHERS_4] = LS_OTHERS_READ(batch_components[C4]),
         [NEWBORN_8] = LS_SPAWNS_WITH(batch_components[C8]),
         [NEWBORN_100] = LS_SPAWNS_WITH(batch_components[C100])),
     .lanes = "b"}};

TEST(test_batch_of_the_own_is_one_after_the_other)
{
    batch_systems_agree("own", changing_own, 6, 0);
}

TEST(test_batch_of_the_own_is_so_on_many_threads)
{
    batch_systems_agree("own on threads", changing_own, 4, 4);
}

/* Logs its visits: no invocation may visit an entity that an earlier one despawned. */
static void roll(ls_context *context, const ls_entity *entities)
{
    uint64_t *random = &script->random;
    batch_note(entities[0]);
    if (test_below(random, 40))
        return;
    ls_entity some[COUNT_MAX];
    batch_pick(random, some, 65);
    batch_despawn(context, some, test_below(random, 66));
    bear(context, LANE_A, some, test_below(random, 80));
    batch_note(batch_attach(context, 0, some, 40, NULL, 4));
}

static const ls_system rolling[] = {
    {.name = "roll",
     .mode = LS_SEQUENTIAL,
     .match = roll,
     .terms = LS_TERM_LIST(LS_DETACHES(batch_components[C4])),
     .lanes = "a"},
};

TEST(test_batch_of_deaths_is_seen_by_the_own_roll)
{
    batch_systems_agree("roll", rolling, 8, 0);
}

/* Pages become empty or full in the middle of a batch, not at its last handle. */
static void turn(ls_context *context, const ls_entity *none)
{
    ls_entity all[LS_PAGE_SLOTS];
    for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++)
        all[i] = ls_entity_make(LANE_A, LS_PAGE_SLOTS + i, 1);
    for (uint32_t first = 0; first < LS_PAGE_SLOTS; first += 40) {
        uint32_t some = LS_PAGE_SLOTS - first < 70 ? LS_PAGE_SLOTS - first : 70;
        assert_int_equal(batch_attach(context, 0, all + first, some, NULL, 8), some);
        batch_assert_summaries(context->world);
        assert_int_equal(batch_detach(context, 0, all + first, some), some);
        batch_assert_summaries(context->world);
        batch_attach(context, 0, all, LS_PAGE_SLOTS, NULL, 8);
        batch_assert_summaries(context->world);
        batch_detach(context, 0, all + first, some);
        batch_assert_summaries(context->world);
        batch_detach(context, 0, all, LS_PAGE_SLOTS);
        batch_assert_summaries(context->world);
    }
}

static const ls_system turning[] = {
    {.name = "turn",
     .mode = LS_SEQUENTIAL,
     .match = turn,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(batch_components[C8]))}};

TEST(test_batch_of_many_words_keeps_the_summaries)
{
    batch_systems_agree("words", turning, 2, 0);
}

enum { BROOD = 70 };

static void breed(ls_context *context, const ls_entity *none)
{
    ls_entity born[BROOD];
    assert_int_equal(batch_spawn(context, 0, BROOD, born), BROOD);
    assert_int_equal(batch_attach(context, 0, born, BROOD, NULL, 100), BROOD);
}

/* Entities spawned in this tick must be dead to a system without an order to the spawner; those of
 * the last tick are alive. */
static void beside(ls_context *context, const ls_entity *none)
{
    uint32_t next = (uint32_t)ls_tick(context) * BROOD;
    ls_entity broods[2 * BROOD], some[COUNT_MAX];
    const void *cells[BROOD];
    for (uint32_t i = 0; i < 2 * BROOD; i++)
        broods[i] = ls_entity_make(LANE_NEW, (next + i - BROOD) % LS_SLOTS_MAX, 1);
    for (uint32_t term = 0; term < 2; term++) {
        assert_int_equal(batch_attach(context, term, broods + BROOD, BROOD, NULL, 0), 0);
        assert_int_equal(batch_find(context, term, broods + BROOD, BROOD, cells), 0);
        assert_int_equal(batch_detach(context, term, broods + BROOD, BROOD), 0);
        assert_int_equal(batch_attach(context, term, broods, 2 * BROOD, NULL, 0), next ? BROOD : 0);
    }
    batch_despawn(context, broods + BROOD, BROOD);
    batch_pick(&script->random, some, COUNT_MAX);
    batch_despawn(context, some, 20);
    batch_note(batch_attach(context, 0, some, COUNT_MAX, NULL, 0));
}

static const ls_system unordered[] = {
    {.name = "witness", /* runs after the spawner in the serial order */
     .mode = LS_SEQUENTIAL,
     .match = beside,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(batch_components[C0]),
                           LS_OTHERS_STRUCTURE(batch_components[C8]))},
    {.name = "breed",
     .mode = LS_SEQUENTIAL,
     .match = breed,
     .terms = LS_TERM_LIST(LS_SPAWNS_WITH(batch_components[C100])),
     .lanes = "new"},
};

TEST(test_batch_of_newborns_without_an_order_finds_nobody)
{
    batch_systems_agree("unordered", unordered, 6, 0);
}

enum { ROOM = 75 };

static void crowd(ls_context *context, const ls_entity *none)
{
    ls_entity born[COUNT_MAX];
    uint32_t count = batch_spawn(context, 0, COUNT_MAX, born);
    assert_int_equal(count, ROOM - 1);
    for (uint32_t i = 0; i < COUNT_MAX; i++) {
        assert_int_equal(born[i] != LS_ENTITY_NULL, i < count);
        batch_note(born[i]);
    }
}

static const ls_system crowding[] = {
    {.name = "crowd", .mode = LS_SEQUENTIAL, .match = crowd, .lanes = "new"}};

/* Fills the lane except ROOM slots, and retires one slot of the last page. */
static void fill(ls_world *world)
{
    static ls_entity born[LS_PAGE_SLOTS];
    uint32_t liveness = ls_liveness(world);
    ls_store_own(world, liveness);
    for (uint32_t left = LS_SLOTS_MAX - ROOM; left;) {
        ls_entity first = ls_store_spawn(world, LANE_NEW);
        left -= 1 + ls_store_spawn_in_page(world, first, left - 1, born);
    }
    ls_page *last = ls_table_write(*ls_world_table(world, liveness, LANE_NEW),
                                   LS_SLOTS_MAX / LS_PAGE_SLOTS - 1, &world->sources[liveness]);
    ls_page_generations_write(last)[LS_PAGE_SLOTS - 20] = LS_GENERATION_RETIRED;
    ls_world_state_changed(world);
}

TEST(test_batch_of_births_ends_with_the_lane)
{
    harness self;
    uint64_t roots[2], logs[2];
    batch_script crowded = {.is_many = false};
    script = &crowded;
    harness_begin(&self, batch_sim(crowding, 1), 1);
    fill(self.world);
    ls_snapshot *full = ls_world_snapshot(self.world);
    for (uint32_t i = 0; i < 2; i++) {
        crowded = (batch_script){.is_many = i == 1};
        ls_world_restore(self.world, full);
        harness_tick(self.world, NULL);
        assert_int_equal(self.world->state.refused_spawns[LANE_NEW], COUNT_MAX - ROOM + 1);
        roots[i] = ls_world_root(self.world);
        logs[i] = crowded.log;
    }
    assert_int_equal(roots[0], roots[1]);
    assert_int_equal(logs[0], logs[1]);
    ls_snapshot_destroy(full);
    harness_end(&self);
}
