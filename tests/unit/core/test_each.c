/* Functions of `each`: runs that are short come as one span with gaps, others as spans without. */
#include "mutation_sim.h"

#include "core/state/page.h"
#include "kept_pages.h"

enum { POPULATION = 12 * LS_PAGE_SLOTS - 100 };

/* Runs of one slot, single slots far apart, few matches side by side, long runs, and runs of 15 or
 * 16 slots: a page has gaps when its runs are shorter than 16 on average. */
static bool has_count(uint32_t i)
{
    uint32_t slot = i % LS_PAGE_SLOTS;
    switch (i / LS_PAGE_SLOTS % 6) {
    case 0:
        return slot % 2 == 1;
    case 1:
        return slot == 73 || slot == 130;
    case 2:
        return slot >= 60 && slot < 70;
    case 3:
        return slot != 100;
    case 4:
        return slot % 20 < 15 && slot / 20 < 12;
    default:
        return slot % 20 < 16 && slot / 20 < 12;
    }
}

static void with_parts(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (has_count(i))
        ls_cell_attach(context, 1, entity, &(tally){i + 5000});
    if (i % 3 == 0)
        ls_cell_attach(context, 3, entity, NULL);
}

static LS_EACH_FUNCTION(note, context, span)
{
    const tally *own = ls_span_read(context, span, 0);
    uint32_t matches = 0, next = 0, turns = 0;
    if (span->matches) { /* it begins and ends with a word that has a match */
        assert_int_equal(span->count % 64 + span->first_slot % 64, 0);
        assert_true(span->matches[0] && span->matches[span->count / 64 - 1]);
    }
    LS_EACH_IN_SPAN(span, i)
    {
        assert_true(i >= next);
        next = i + 1;
        if (own[i].value % 2)
            continue;
        matches += 1;
    }
    LS_EACH_IN_SPAN(span, i)
    {
        assert_int_equal(own[i].value, span->first_slot + i + 5000);
        matches += own[i].value % 2;
    }
    LS_EACH_IN_SPAN(span, i)
    {
        turns++;
        if (i < LS_PAGE_SLOTS)
            break;
    }
    assert_int_equal(turns, 1);
    ls_accumulate(context, 1, LS_ENTITY_NULL,
                  &(total){.sum = 1, .few = matches, .many = span->matches != NULL});
}

static void check_noted(ls_world *world)
{
    total expected = {0};
    for (uint32_t first = 0; first < population.count; first += LS_PAGE_SLOTS) {
        uint32_t matches = 0, runs = 0;
        for (uint32_t i = first; i < first + LS_PAGE_SLOTS && i < population.count; i++) {
            matches += has_count(i);
            runs += has_count(i) && (i == first || !has_count(i - 1));
        }
        bool has_gaps = runs > 1 && matches < 16 * runs;
        expected.sum += has_gaps ? 1 : runs;
        expected.few += matches;
        expected.many += has_gaps;
    }
    const total *all = ls_world_singleton(world, &totals);
    uint32_t ticks = (uint32_t)ls_world_tick(world);
    assert_int_equal(all->sum, expected.sum * ticks);
    assert_int_equal(all->few, expected.few * ticks);
    assert_int_equal(all->many, expected.many * ticks);
    assert_in_range(expected.many, 1, population.count / LS_PAGE_SLOTS - 1);
}

TESTS_AROUND(mutation_forget, NULL);

/* From the third tick on, pages are those that are kept. */
TEST(test_each_visits_all_matches_in_order)
{
    const ls_system noting[] = {
        {.name = "note",
         .each = note,
         .terms = LS_TERM_LIST(LS_READS(extras), LS_ACCUMULATES(totals, LS_ADD))}};
    population = (mutation_population){POPULATION, with_parts};
    mutations_agree(noting, 1, check_noted);
    mutations_agree(noting, 4, check_noted);
}

static LS_EACH_FUNCTION(raise_all, context, span)
{
    tally *own = ls_span_write(context, span, 0);
    LS_EACH_IN_SPAN(span, i)
    own[i].value++;
}

static void check_raised(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++) {
        const tally *cell = mutation_cell(world, &counts, i);
        assert_int_equal(cell->value, i + (has_count(i) ? ls_world_tick(world) : 0));
    }
}

static const ls_system raising[] = {{.name = "raise",
                                     .each = raise_all,
                                     .terms = LS_TERM_LIST(LS_WRITES(counts), LS_WITH(extras))}};

TEST(test_each_writes_reach_the_matches_alone)
{
    population = (mutation_population){POPULATION, with_parts};
    mutations_agree(raising, 1, check_raised);
    mutations_agree(raising, 4, check_raised);
}

TEST(test_each_keeps_all_pages)
{
    harness self;
    population = (mutation_population){POPULATION, with_parts};
    harness_begin(&self, mutation_sim(raising, 1), 7);
    for (uint32_t tick = 0; tick < 5; tick++)
        harness_tick(self.world, NULL);
    assert_int_equal(count_kept(self.world, "raise"), 12);
    harness_end(&self);
}

/* Attaching changes no cell that is there. */
static void shed(ls_context *context, const ls_span *span)
{
    tally *lost = ls_span_attach(context, span, 0);
    assert_ptr_equal(lost, ls_span_read(context, span, 0));
    ls_span_detach(context, span, 0);
}

static void check_shed(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++) {
        const tally *cell = ls_world_cell(world, &extras, mutation_entity(i));
        assert_int_equal(cell != NULL, has_count(i) && i % 3 != 0);
        if (cell)
            assert_int_equal(cell->value, i + 5000);
    }
}

TEST(test_each_detaches_from_the_matches_alone)
{
    const ls_system shedding[] = {
        {.name = "shed", .each = shed, .terms = LS_TERM_LIST(LS_DETACHES(extras), LS_WITH(marks))}};
    population = (mutation_population){POPULATION, with_parts};
    mutations_agree(shedding, 1, check_shed);
    mutations_agree(shedding, 2, check_shed);
}
