#include "batch_sim.h"

#include "core/state/state_internal.h"
#include "core/state/store.h"

#include <inttypes.h>

#define WORDS(count)                                                                               \
    {                                                                                              \
        .name = "words", .type = LS_TYPE_U32, .bytes = count                                       \
    }
static const ls_field words[COMPONENTS] = {{.name = NULL}, WORDS(4),  WORDS(8),  WORDS(16),
                                           WORDS(24),      WORDS(40), WORDS(100)};
#define SIZED(at, label, count)                                                                    \
    {                                                                                              \
        .name = label, .bytes = count, .field_count = 1, .fields = &words[at]                      \
    }
const ls_component batch_components[COMPONENTS] = {
    LS_TAG_TABLE("c0"),    SIZED(C4, "c4", 4),    SIZED(C8, "c8", 8),      SIZED(C16, "c16", 16),
    SIZED(C24, "c24", 24), SIZED(C40, "c40", 40), SIZED(C100, "c100", 100)};

static batch_script scripts[2];
batch_script *script = &scripts[0];

void batch_note(uint64_t value)
{
    script->log = (script->log + value) * UINT64_C(0x9e3779b97f4a7c15) + (script->log >> 29);
}

static ls_entity odd_one(uint64_t *random, uint32_t lane, uint32_t slot)
{
    uint32_t generation = script->life[lane][slot];
    switch (test_below(random, 8)) {
    case 0:
        return LS_ENTITY_NULL;
    case 1:
        return ls_entity_make(lane, slot, generation + 1);
    case 2:
        return ls_entity_make(lane, slot, generation - 2);
    case 3:
        return ls_entity_make(LANES + test_below(random, 256 - LANES), slot, 1);
    case 4: /* an unused page, mostly in an unused directory */
        return ls_entity_make(lane, test_below(random, LS_SLOTS_MAX), 1);
    case 5: /* alive, in a second directory */
        return ls_entity_make(LANE_FAR, FAR_COUNT - 1 - test_below(random, 400), 1);
    case 6:
        return ls_entity_make(LANE_FAR, slot, 1);
    default:
        return test_random(random);
    }
}

void batch_pick(uint64_t *random, ls_entity *entities, uint32_t count)
{
    enum { IN_ORDER, FROM_A_PAGE_ON, WITH_GAPS, BACKWARDS, A_FEW, IN_A_PAGE, ANYWHERE, FORMS };
    uint32_t form = test_below(random, FORMS), slot = test_below(random, HOT);
    uint32_t lane = LANE_A + test_below(random, 2);
    bool has_odd_ones = test_below(random, 2);
    if (form == FROM_A_PAGE_ON || form == IN_A_PAGE)
        slot -= slot % LS_PAGE_SLOTS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = form == WITH_GAPS   ? slot + i * 3
                      : form == BACKWARDS ? slot + HOT - i
                      : form == A_FEW     ? slot + test_below(random, 5)
                      : form == IN_A_PAGE ? slot + test_below(random, LS_PAGE_SLOTS)
                      : form == ANYWHERE  ? test_below(random, HOT)
                                          : slot + i;
        if (form == ANYWHERE)
            lane = LANE_A + test_below(random, 2);
        entities[i] = ls_entity_make(lane, at % HOT, script->life[lane][at % HOT]);
        if (has_odd_ones && test_below(random, 6) == 0)
            entities[i] = odd_one(random, lane, at % HOT);
    }
}

uint32_t batch_count(uint64_t *random)
{
    static const uint32_t counts[] = {0, 1, 63, 64, 65, COUNT_MAX};
    return counts[test_below(random, LS_COUNT_OF(counts))];
}

const uint8_t *batch_values(uint64_t *random, uint8_t *bytes, size_t count)
{
    uint64_t value = test_random(random), draws = value;
    uint64_t drawn[128];
    for (uint32_t i = 0; i < LS_COUNT_OF(drawn); i++)
        drawn[i] = test_random(&draws);
    for (size_t i = 0; i < count; i += sizeof drawn)
        memcpy(bytes + i, drawn, count - i < sizeof drawn ? count - i : sizeof drawn);
    return value % 4 ? bytes : NULL;
}

uint64_t batch_sum(const void *const *cells, uint32_t count, uint32_t bytes)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *cell = cells[i];
        sum = sum * 31 + (cell != NULL);
        for (uint32_t j = 0; cell && j < bytes; j++)
            sum = sum * 31 + cell[j];
    }
    return sum;
}

uint32_t batch_attach(ls_context *context, uint32_t term, const ls_entity *entities, uint32_t count,
                      const uint8_t *values, uint32_t bytes)
{
    if (script->is_many)
        return ls_cells_attach(context, term, entities, count, values);
    uint32_t attached = 0;
    for (uint32_t i = 0; i < count; i++)
        attached += ls_cell_attach(context, term, entities[i], values ? values + i * bytes : NULL);
    return attached;
}

uint32_t batch_detach(ls_context *context, uint32_t term, const ls_entity *entities, uint32_t count)
{
    if (script->is_many)
        return ls_cells_detach(context, term, entities, count);
    uint32_t detached = 0;
    for (uint32_t i = 0; i < count; i++)
        detached += ls_cell_detach(context, term, entities[i]);
    return detached;
}

uint32_t batch_find(ls_context *context, uint32_t term, const ls_entity *entities, uint32_t count,
                    const void **cells)
{
    uint32_t found = 0, wrong = 0;
    if (script->is_many)
        found = ls_cells_find(context, term, entities, count, cells);
    for (uint32_t i = 0; i < count; i++) {
        const void *cell = ls_cell_find(context, term, entities[i]);
        if (script->is_many)
            wrong += cell != cells[i];
        else
            found += cell != NULL;
        cells[i] = cell;
    }
    return found + wrong * (COUNT_MAX + 1);
}

uint32_t batch_spawn(ls_context *context, uint32_t lane, uint32_t count, ls_entity *entities)
{
    if (script->is_many)
        return ls_spawn_many(context, lane, count, entities);
    uint32_t born = 0;
    for (uint32_t i = 0; i < count; i++)
        born += (entities[i] = ls_spawn(context, lane)) != LS_ENTITY_NULL;
    return born;
}

void batch_despawn(ls_context *context, const ls_entity *entities, uint32_t count)
{
    if (script->is_many)
        ls_despawn_many(context, entities, count);
    for (uint32_t i = 0; i < count && !script->is_many; i++)
        ls_despawn(context, entities[i]);
}

static void populate_lane(ls_context *context, uint32_t lane, uint32_t count)
{
    ls_entity born[COUNT_MAX];
    for (uint32_t first = 0; first < count; first += COUNT_MAX) {
        uint32_t some = count - first < COUNT_MAX ? count - first : COUNT_MAX;
        assert_int_equal(batch_spawn(context, lane - LANE_A, some, born), some);
        for (uint32_t i = 0; i < some; i++) {
            assert_int_equal(born[i], ls_entity_make(lane, first + i, 1));
            if (first + i < HOT)
                script->life[lane][first + i] = 1;
        }
        if (lane == LANE_A)
            batch_attach(context, C4, born, some, NULL, 0);
    }
}

static void populate(ls_context *context, const ls_entity *entities)
{
    populate_lane(context, LANE_A, A_COUNT);
    populate_lane(context, LANE_B, B_COUNT);
    populate_lane(context, LANE_FAR, FAR_COUNT);
}

static const ls_system setup = {.name = "populate",
                                .mode = LS_SEQUENTIAL,
                                .match = populate,
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(batch_components[C0]),
                                                      LS_OTHERS_STRUCTURE(batch_components[C4])),
                                .lanes = "a, b, far"};

const ls_sim *batch_sim(const ls_system *systems, uint32_t system_count)
{
    static const ls_component *const pointers[] = {&batch_components[C0],  &batch_components[C4],
                                                   &batch_components[C8],  &batch_components[C16],
                                                   &batch_components[C24], &batch_components[C40],
                                                   &batch_components[C100]};
    static const char *const lanes[] = {"a", "b", "far", "new"};
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(pointers, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = system_count;
    sim.setup = &setup;
    return &sim;
}

/* Retires some free slots, and leaves others with one more life. */
static void retire_some(ls_world *world)
{
    uint32_t liveness = ls_liveness(world);
    ls_store_own(world, liveness);
    for (uint32_t slot = A_COUNT; slot < 2 * HOT; slot++) {
        ls_page *page = ls_table_write(*ls_world_table(world, liveness, LANE_A),
                                       slot / LS_PAGE_SLOTS, &world->sources[liveness]);
        if (slot % 5 == 0 || slot / 64 == 17)
            ls_page_generations_write(page)[slot % LS_PAGE_SLOTS] =
                slot % 2 ? LS_GENERATION_RETIRED : LS_GENERATION_RETIRED - 2;
    }
    ls_world_state_changed(world);
}

void batch_assert_summaries(const ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        for (uint32_t lane = 0; lane < world->state.lanes; lane++) {
            const ls_table *table = *ls_world_table((ls_world *)(uintptr_t)world, column, lane);
            for (uint32_t at = 0; at < ls_table_page_count(table); at++) {
                const ls_page *page = ls_table_page(table, at);
                bool is_full = page && (page->present[0] & page->present[1] & page->present[2] &
                                        page->present[3]) == UINT64_MAX;
                assert_int_equal(ls_table_next_not_full(table, at) != at, is_full);
                assert_int_equal(ls_table_next_occupied(table, at) == at,
                                 page && !ls_page_is_empty(page));
            }
        }
    }
}

static void assert_same_walks(const ls_world *one, const ls_world *two)
{
    for (uint32_t i = 0; i < COMPONENTS; i++) {
        const ls_term terms[] = {LS_READS(batch_components[i]), {.component = NULL}};
        ls_world_walk a, b;
        ls_world_walk_begin(one, terms, &a);
        ls_world_walk_begin(two, terms, &b);
        bool is_more;
        do {
            is_more = ls_world_walk_next(&a);
            assert_int_equal(ls_world_walk_next(&b), is_more);
            if (!is_more)
                continue;
            assert_int_equal(ls_span_entity(&a.span, 0), ls_span_entity(&b.span, 0));
            assert_int_equal(a.span.count, b.span.count);
            assert_memory_equal(a.span.generations, b.span.generations, 4 * a.span.count);
            if (batch_components[i].bytes)
                assert_memory_equal(a.span.const_cells[0], b.span.const_cells[0],
                                    batch_components[i].bytes * a.span.count);
        } while (is_more);
    }
}

static void assert_same_worlds(ls_world *one, ls_world *two)
{
    assert_int_equal(ls_world_root(one), ls_world_root(two));
    assert_memory_equal(one->state.refused_spawns, two->state.refused_spawns,
                        sizeof one->state.refused_spawns[0] * one->state.lanes);
    assert_same_walks(one, two);
    batch_assert_summaries(two);
    size_t counts[2];
    uint8_t *bytes[2] = {harness_bytes(one, &counts[0]), harness_bytes(two, &counts[1])};
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(bytes[0], bytes[1], counts[0]);
    ls_free(bytes[0]);
    ls_free(bytes[1]);
}

static void run_round(const ls_sim *sim, uint64_t seed, uint32_t ticks, ls_executor *executor)
{
    harness self;
    ls_world *worlds[2];
    ls_snapshot *snapshots[2] = {NULL, NULL};
    uint64_t random = seed;
    for (uint32_t i = 0; i < 2; i++) {
        script = &scripts[i];
        *script = (batch_script){.is_many = i == 1, .random = seed};
        if (i == 0)
            harness_begin(&self, sim, seed);
        worlds[i] = i == 0 ? self.world : harness_world(&self);
        retire_some(worlds[i]);
    }
    for (uint32_t tick = 0; tick < ticks; tick++) {
        uint32_t between = test_below(&random, 16);
        for (uint32_t i = 0; i < 2; i++) {
            if (between & 1 && snapshots[i]) {
                ls_snapshot_destroy(snapshots[i]);
                snapshots[i] = NULL;
            } else if (between & 1) {
                snapshots[i] = ls_world_snapshot(worlds[i]);
            }
            script = &scripts[i];
            harness_tick(worlds[i], i == 1 ? executor : NULL);
        }
        if (scripts[0].log != scripts[1].log)
            fail_msg("calls for many give something else in tick %u", tick);
        if (between & 2 && ls_world_root(worlds[0]) != ls_world_root(worlds[1]))
            fail_msg("another state after tick %u", tick);
        assert_memory_equal(scripts[0].life, scripts[1].life, sizeof scripts[0].life);
        batch_assert_summaries(worlds[1]);
    }
    assert_same_worlds(worlds[0], worlds[1]);
    for (uint32_t i = 0; i < 2 && snapshots[i]; i++)
        ls_snapshot_destroy(snapshots[i]);
    ls_world_destroy(worlds[1]);
    harness_end(&self);
}

void batch_agree(const char *test, const ls_sim *sim, uint32_t ticks, uint32_t threads)
{
    uint64_t seed = harness_seed(test);
    uint32_t rounds = getenv("LOCKSTEP_LONG") ? 200 : 8;
    ls_executor *executor = threads ? harness_executor(threads, seed) : NULL;
    for (uint32_t round = 0; round < rounds; round++) {
        if (round) /* print the seed first: it repeats a failure of any kind */
            print_message("%s: then LS_TEST_SEED=%" PRIu64 "\n", test, seed + round);
        run_round(sim, seed + round, ticks, executor);
    }
    ls_executor_destroy(executor);
}
