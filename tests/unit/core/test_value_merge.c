/* Values of one term that accumulates are recorded without heads, and combined page by page. */
#include "mutation_sim.h"

#include <string.h>

/* A value that does not fit a cell that is copied in registers. */
LS_COMPONENT(tide, U64_ARRAY(high, 5));

enum { SHORES = 3000, WAVES = 5 };

static uint32_t shore_of(uint32_t slot, uint32_t wave)
{
    return (slot * 7919 + wave * 104729) % SHORES;
}

static tide tide_of(uint32_t slot, uint32_t wave)
{
    uint64_t high = slot * UINT64_C(0x9e3779b97f4a7c15) >> wave;
    return (tide){{high, ~high, high << 20, slot, wave}};
}

static void roll(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    for (uint32_t wave = 0; wave < WAVES; wave++) {
        tide value = tide_of(slot, wave);
        assert_true(ls_accumulate(context, 0, ls_entity_make(1, shore_of(slot, wave), 1), &value));
    }
}

static void make_shores(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < SHORES; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), NULL);
}

static void check_tides(ls_world *world)
{
    static tide highest[SHORES];
    memset(highest, 0, sizeof highest);
    for (uint32_t slot = 0; slot < SHORES; slot++) {
        for (uint32_t wave = 0; wave < WAVES; wave++) {
            tide value = tide_of(slot, wave), *shore = &highest[shore_of(slot, wave)];
            for (uint32_t i = 0; i < LS_COUNT_OF(value.high); i++)
                shore->high[i] = shore->high[i] > value.high[i] ? shore->high[i] : value.high[i];
        }
    }
    for (uint32_t slot = 0; slot < SHORES; slot++)
        assert_memory_equal(ls_world_cell(world, &tide_component, ls_entity_make(1, slot, 1)),
                            &highest[slot], sizeof(tide));
}

/* A system that also changes presence in the column sees that at once, even in a page that it had
 * to copy from a snapshot. */
static void take_one(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 100; i++)
        assert_true(ls_accumulate(context, 0, mutation_entity(i), &(tally){1}));
    ls_cell_detach(context, 1, mutation_entity(5));
    assert_false(ls_accumulate(context, 0, mutation_entity(5), &(tally){1}));
}

static const ls_system taking_one[] = {
    {.name = "take",
     .mode = LS_SEQUENTIAL,
     .match = take_one,
     .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_OTHERS_STRUCTURE(counts))}};

TESTS_AROUND(mutation_forget, NULL);

TEST(test_value_merge_beside_a_snapshot)
{
    uint64_t roots[2];
    for (uint32_t i = 0; i < LS_COUNT_OF(roots); i++) {
        population.count = 700;
        harness self;
        harness_begin(&self, mutation_sim(taking_one, 1), 1);
        ls_snapshot *snapshot = i ? ls_world_snapshot(self.world) : NULL;
        harness_tick(self.world, NULL);
        roots[i] = ls_world_root(self.world);
        if (snapshot)
            ls_snapshot_destroy(snapshot);
        harness_end(&self);
    }
    assert_true(roots[0] == roots[1]);
}

/* Only the last page has values, so that the thread that takes the first pages gives none. */
static void add_to_first(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) + 10 >= population.count)
        assert_true(ls_accumulate(context, 0, mutation_entity(0), &(tally){1}));
}

static const ls_system few[] = {
    {.name = "few",
     .match = add_to_first,
     .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_WITH(counts))}};

static void check_few(ls_world *world)
{
    assert_int_equal(((const tally *)mutation_cell(world, &counts, 0))->value, 20);
}

TEST(test_value_merge_of_one_page_among_many)
{
    population.count = PARALLEL_POPULATION;
    mutations_agree(few, 2, check_few);
}

static const ls_system rolling[] = {
    {.name = "roll",
     .match = roll,
     .terms = LS_TERM_LIST(LS_ACCUMULATES(tide_component, LS_MAX), LS_WITH(tide_component))}};
static const ls_system making = {.name = "make",
                                 .mode = LS_SEQUENTIAL,
                                 .match = make_shores,
                                 .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(tide_component)),
                                 .lanes = "a"};

TEST(test_value_merge_of_wide_values)
{
    LS_COMPONENTS(components, tide);
    static const char *const lanes[] = {"a"};
    ls_sim sim = HARNESS_SIM(components, lanes, rolling);
    sim.setup = &making;
    mutation_agree(&sim, 2, check_tides);
}
