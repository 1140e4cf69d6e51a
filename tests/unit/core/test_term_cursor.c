/* The position of a cursor has no effect on results, with or without snapshots and threads, in
 * batches or one by one. The handles are valid, stale, forged and null. */
#include "mutation_sim.h"

#include "tests/support/sanitizer.h"

enum { GUESSES = HAS_THREAD_SANITIZER ? 50 : 150, SPREAD = 1500, TICKS = 8 };

/* If set, batches are replaced by single calls. */
static bool is_one_by_one;

static uint64_t draw(const ls_context *context, ls_entity entity, uint32_t which, uint32_t below)
{
    return ls_random(context, entity, which) % below;
}

/* Draws random handles; a third is on the page of `near`, often twice in a row. */
static void guess(const ls_context *context, ls_entity near, ls_entity *entities)
{
    for (uint32_t i = 0; i < GUESSES; i++) {
        uint64_t kind = draw(context, near, i * 4, 12), life = draw(context, near, i * 4 + 1, 16);
        uint32_t slot = (uint32_t)draw(context, near, i * 4 + 2, SPREAD);
        uint32_t lane = LANE_A + (uint32_t)(kind == 11) + (uint32_t)(life == 0) * 100;
        if (kind < 4)
            slot = ls_entity_slot(near) / 256 * 256 + slot % 256;
        entities[i] = ls_entity_make(lane, slot, life < 13 ? 1 : (uint32_t)life - 12);
        if (kind == 5 && i)
            entities[i] = entities[i - 1];
        if (kind == 6)
            entities[i] = LS_ENTITY_NULL;
    }
}

static uint32_t sum_of(const ls_context *context, uint32_t term, const ls_entity *entities)
{
    const void *cells[GUESSES];
    uint32_t sum = 0;
    if (!is_one_by_one)
        sum = ls_cells_find(context, term, entities, GUESSES, cells);
    for (uint32_t i = 0; is_one_by_one && i < GUESSES; i++) {
        cells[i] = ls_cell_find(context, term, entities[i]);
        sum += cells[i] != NULL;
    }
    for (uint32_t i = 0; i < GUESSES; i++)
        sum = sum * 3 + (cells[i] ? ((const tally *)cells[i])->value : 0);
    return sum;
}

/* Accesses own entities between accesses to others. */
static void seek(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0], others[GUESSES];
    guess(context, self, others);
    tally *own = ls_cell_write(context, 0, self);
    uint32_t sum = sum_of(context, 3, others) + sum_of(context, 4, others);
    for (uint32_t i = 0; i < GUESSES; i++) {
        ls_entity other = others[i];
        sum += ls_cell_has(context, 2, other) + 3 * ls_cell_has(context, 3, other);
        sum += 5 * ls_is_alive(context, other);
        if (other == LS_ENTITY_NULL)
            sum += ls_cell_find(context, 0, other) || ls_cell_has(context, 1, other) ||
                           ls_cell_attach(context, 1, other, NULL)
                       ? 1u << 16
                       : 0;
        if (other % 7 == 0)
            ls_cell_attach(context, 1, self, NULL);
        if (other % 7 == 1)
            ls_cell_detach(context, 1, self);
        sum += ls_cell_has(context, 1, self);
    }
    own->value = own->value * 3 + sum;
}

static void move(ls_context *context, const ls_span *span)
{
    tally *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value += span->first_slot + i;
}

static void bear(ls_context *context, const ls_entity *unused)
{
    ls_entity young[GUESSES];
    uint32_t count = (uint32_t)draw(context, LS_ENTITY_NULL, 0, GUESSES);
    ls_despawn_many(context, young, 0);
    if (!is_one_by_one)
        ls_spawn_many(context, 0, count, young);
    for (uint32_t i = 0; is_one_by_one && i < count; i++)
        ls_spawn(context, 0);
}

static void cull(ls_context *context, const ls_entity *entities)
{
    ls_entity others[GUESSES];
    guess(context, entities[0], others);
    if (draw(context, entities[0], GUESSES * 4, 400) != 0)
        return;
    if (!is_one_by_one)
        ls_despawn_many(context, others, GUESSES / 4);
    for (uint32_t i = 0; is_one_by_one && i < GUESSES / 4; i++)
        ls_despawn(context, others[i]);
}

static uint32_t change(ls_context *context, uint32_t term, const ls_entity *entities,
                       const tally *values, bool is_attach)
{
    if (!is_one_by_one && is_attach)
        return ls_cells_attach(context, term, entities, GUESSES, values);
    if (!is_one_by_one)
        return ls_cells_detach(context, term, entities, GUESSES);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < GUESSES; i++)
        changed += is_attach
                       ? ls_cell_attach(context, term, entities[i], values ? &values[i] : NULL)
                       : ls_cell_detach(context, term, entities[i]);
    return changed;
}

/* Two terms of one column: each sees the other's changes on the page of its cursor. */
static void take_turns(ls_context *context, ls_entity entity, uint32_t value)
{
    bool is_alive = ls_is_alive(context, entity);
    for (uint32_t i = 0; i < 2; i++) {
        bool has = ls_cell_has(context, 3, entity);
        assert_int_equal(ls_cell_find(context, 1, entity) != NULL, ls_cell_has(context, 1, entity));
        assert_int_equal(ls_cell_detach(context, 2, entity), has);
        assert_false(ls_cell_has(context, 3, entity));
        assert_int_equal(ls_cell_attach(context, 2, entity, NULL), is_alive);
        assert_int_equal(ls_cell_has(context, 3, entity), is_alive);
        tally *cell = ls_cell_write(context, 0, entity);
        if (cell)
            cell->value = value + i;
        const tally *seen = ls_cell_find(context, 1, entity);
        assert_true(!cell == !seen && (!seen || seen->value == value + i));
    }
}

static void shape(ls_context *context, const ls_entity *unused)
{
    total *all = ls_singleton_write(context, 4);
    for (uint32_t round = 0; round < 40; round++) {
        ls_entity some[GUESSES], near = mutation_entity(round * 37);
        tally values[GUESSES];
        guess(context, near, some);
        for (uint32_t i = 0; i < GUESSES; i++)
            values[i].value = round * GUESSES + i;
        uint64_t deed = draw(context, near, GUESSES * 4, 6);
        all->sum += sum_of(context, 1, some);
        if (deed < 4)
            all->many += change(context, 0, some, deed ? values : NULL, deed != 3);
        else
            all->many += change(context, 2, some, NULL, deed == 4);
        all->sum = all->sum * 3 + sum_of(context, 1, some) + sum_of(context, 0, some);
        for (uint32_t i = 0; ls_tick(context) % 2 && i < GUESSES; i += 5)
            take_turns(context, some[i], i);
        for (uint32_t i = 0; i < GUESSES; i++)
            all->few += ls_cell_has(context, 1, some[i]) + ls_cell_has(context, 3, some[i]);
    }
}

static const ls_system systems[] = {
    {.name = "seek",
     .match = seek,
     .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ATTACHES(marks),
                           LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, extras),
                           LS_OTHERS_START(counts), LS_OTHERS_READ(links))},
    {.name = "move", .span = move, .terms = LS_TERM_LIST(LS_WRITES(extras))},
    {.name = "bear", .mode = LS_SEQUENTIAL, .match = bear, .lanes = "b"},
    {.name = "cull", .match = cull, .terms = LS_TERM_LIST(LS_WITH(extras))},
    {.name = "shape",
     .mode = LS_SEQUENTIAL,
     .match = shape,
     .terms = LS_TERM_LIST(
         LS_OTHERS_STRUCTURE(extras), LS_OTHERS_READ(extras), LS_OTHERS_STRUCTURE(marks),
         LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, marks), LS_OTHERS_WRITE(totals)),
     .after = "seek, move, bear, cull"},
};

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    if (i % 3)
        ls_cell_attach(context, 0, entity, &(tally){i});
    if (i % 5)
        ls_cell_attach(context, 1, entity, &(tally){i});
    if (i / 256 % 2)
        ls_cell_attach(context, 3, entity, NULL);
    ls_cell_attach(context, 2, entity, &(link){{i}});
}

static void run(uint32_t threads, uint64_t shuffle_seed, uint32_t snapshot_every, uint64_t *roots,
                bool is_first)
{
    harness self;
    harness_begin(&self, mutation_sim(systems, LS_COUNT_OF(systems)), 7);
    ls_executor *executor = harness_executor(threads, shuffle_seed);
    ls_snapshot *kept[TICKS] = {NULL};
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        if (snapshot_every && tick % snapshot_every == 0)
            kept[tick] = ls_world_snapshot(self.world);
        harness_tick(self.world, executor);
        /* Without snapshots, skip the root too: nothing is hashed, so pages stay open from tick to
         * tick. */
        if (!snapshot_every && tick + 1 < TICKS)
            continue;
        uint64_t root = ls_world_root(self.world);
        if (is_first)
            roots[tick] = root;
        if (roots[tick] != root)
            fail_msg("%u threads, shuffle %u, snapshot every %u: another state in tick %u", threads,
                     (unsigned)shuffle_seed, snapshot_every, tick);
        if (tick >= 3) {
            ls_snapshot_destroy(kept[tick - 3]);
            kept[tick - 3] = NULL;
        }
    }
    for (uint32_t tick = 0; tick < TICKS; tick++)
        ls_snapshot_destroy(kept[tick]);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_term_cursor_shows_no_snapshot_thread_or_batch)
{
    uint64_t roots[TICKS] = {0};
    population = (mutation_population){SPREAD, furnish};
    is_one_by_one = true;
    run(1, 0, 1, roots, true);
    for (uint32_t every = 0; every < 3; every++) {
        is_one_by_one = every != 1;
        run(1, 0, every, roots, false);
        is_one_by_one = !is_one_by_one;
        run(4, 0, every, roots, false);
        run(1, 3 + every, every, roots, false);
    }
}

static void bear_in_world(ls_context *context, const ls_entity *unused)
{
    for (uint32_t i = 0; ls_tick(context) == 0 && i < SPREAD; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), &(tally){i});
}

/* The slot of the null handle contains an entity, which another thread changes at the same time. */
static void match_none(ls_context *context, const ls_entity *entities)
{
    tally *own = ls_cell_write(context, 0, entities[0]);
    for (uint32_t i = 0; i < 3; i++) {
        own->value += ls_cell_find(context, 0, LS_ENTITY_NULL) ||
                      ls_cell_write(context, 0, LS_ENTITY_NULL) ||
                      ls_cell_has(context, 1, LS_ENTITY_NULL) ||
                      ls_cell_attach(context, 1, LS_ENTITY_NULL, NULL) ||
                      ls_cell_detach(context, 1, LS_ENTITY_NULL);
        own->value += ls_cell_find(context, 0, entities[0]) != own;
        own->value += ls_cell_has(context, 1, entities[0]);
        own->value += !ls_cell_attach(context, 1, entities[0], NULL);
        own->value += !ls_cell_has(context, 1, entities[0]);
        own->value += !ls_cell_detach(context, 1, entities[0]);
    }
}

static void check_tallies(ls_world *world)
{
    for (uint32_t i = 0; i < SPREAD; i++) {
        const tally *cell = ls_world_cell(world, &counts, ls_entity_make(0, i, 1));
        assert_int_equal(cell->value, i);
    }
}

TEST(test_term_cursor_finds_nobody_in_the_first_page)
{
    const ls_system asking[] = {{.name = "bear",
                                 .mode = LS_SEQUENTIAL,
                                 .match = bear_in_world,
                                 .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(counts)),
                                 .lanes = "world"},
                                {.name = "ask",
                                 .match = match_none,
                                 .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ATTACHES(marks)),
                                 .after = "bear"}};
    mutations_agree(asking, 4, check_tallies);
}

/* Null, free and pending handles name no entity, whatever their slot. */
static void ask_pending(ls_context *context, const ls_entity *entities)
{
    ls_entity pending = ls_spawn(context, 0), slot = (uint32_t)entities[0];
    const ls_entity dead[] = {pending,
                              pending + slot,
                              slot,
                              slot | (ls_entity)2 << 32,
                              (slot ^ 256) | (ls_entity)2 << 32,
                              LS_ENTITY_NULL};
    for (uint32_t i = 0; i < LS_COUNT_OF(dead); i++) {
        assert_false(ls_cell_has(context, 0, dead[i]));
        assert_null(ls_cell_find(context, 0, dead[i]));
        assert_null(ls_cell_write(context, 0, dead[i]));
        assert_false(ls_cell_attach(context, 1, dead[i], NULL));
        assert_false(ls_cell_detach(context, 1, dead[i]));
    }
    assert_true(ls_cell_attach(context, 2, pending, &(tally){ls_entity_slot(entities[0])}));
}

TEST(test_term_cursor_finds_nobody_by_a_pending_handle)
{
    const ls_system asking[] = {
        {.name = "ask",
         .match = ask_pending,
         .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ATTACHES(marks), LS_SPAWNS_WITH(extras)),
         .lanes = "b"}};
    population.count = 600;
    mutations_agree(asking, 2, NULL);
}
