/* Spans are as long as their page allows, whatever the pattern of presence, and each match is in
 * one of them. */
#include "mutation_sim.h"

#include "core/state/page.h"

enum { POPULATION = 24 * LS_PAGE_SLOTS - 100 };

/* Dense pages, sparse ones, one slot in two, whole pages, runs that begin or end at the borders of
 * words, and runs over several words. */
static bool has_count(uint32_t i)
{
    uint32_t page = i / LS_PAGE_SLOTS, slot = i % LS_PAGE_SLOTS;
    uint64_t seed = i;
    uint32_t draw = (uint32_t)(test_random(&seed) % 16);
    switch (page % 8) {
    case 0:
        return draw != 0;
    case 1:
        return draw == 0;
    case 2:
        return slot % 2 == page / 8 % 2;
    case 3:
        return true;
    case 4:
        return slot % 64 == 0 || slot % 64 == 63;
    case 5:
        return slot >= 64 * (page / 8) && slot < 64 * (page / 8) + 128;
    case 6:
        return slot >= 30 + page && slot < 230 + page;
    default:
        return slot / 64 != page / 8;
    }
}

/* Marks split spans of systems that read them as an optional term. */
static bool has_mark(uint32_t i)
{
    return i / 2048 == 1 && i % 100 < 50;
}

static void with_parts(ls_context *context, ls_entity entity, uint32_t i)
{
    if (has_count(i))
        ls_cell_attach(context, 0, entity, &(tally){i});
    if (has_mark(i))
        ls_cell_attach(context, 3, entity, NULL);
}

/* Whether a span that has slot `i` has to end after it. */
static bool is_last(uint32_t i, bool is_split)
{
    uint32_t next = i + 1;
    return next == population.count || next % LS_PAGE_SLOTS == 0 || !has_count(next) ||
           (is_split && has_mark(i) != has_mark(next));
}

static void note_any(ls_context *context, const ls_span *span, bool is_split)
{
    const tally *own = ls_span_read(context, span, 0);
    assert_true(span->count > 0);
    for (uint32_t i = 0; i < span->count; i++) {
        assert_int_equal(own[i].value, span->first_slot + i);
        assert_int_equal(is_last(own[i].value, is_split), i + 1 == span->count);
    }
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(total){.sum = 1, .few = span->count});
}

static void note_run(ls_context *context, const ls_span *span)
{
    note_any(context, span, false);
}

static void note_part(ls_context *context, const ls_span *span)
{
    note_any(context, span, true);
}

static void check_noted(const ls_world *world, bool is_split)
{
    uint32_t matches = 0, spans = 0;
    for (uint32_t i = 0; i < population.count; i++) {
        matches += has_count(i);
        spans += has_count(i) && is_last(i, is_split);
    }
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, matches);
    assert_int_equal(all->sum, spans);
}

static void check_runs(ls_world *world)
{
    check_noted(world, false);
}

static void check_parts(ls_world *world)
{
    check_noted(world, true);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_page_loop_spans_end_where_presence_does)
{
    const ls_system noting[] = {
        {.name = "note",
         .span = note_run,
         .terms = LS_TERM_LIST(LS_READS(counts), LS_ACCUMULATES(totals, LS_ADD))}};
    population = (mutation_population){POPULATION, with_parts};
    mutations_agree(noting, 1, check_runs);
}

TEST(test_page_loop_spans_agree_on_optional_terms)
{
    const ls_system noting[] = {
        {.name = "note",
         .span = note_part,
         .terms = LS_TERM_LIST(LS_READS(counts), LS_ACCUMULATES(totals, LS_ADD),
                               LS_TERM(0, LS_OPTIONAL, LS_ACCESS_PRESENCE, marks))}};
    population = (mutation_population){POPULATION, with_parts};
    mutations_agree(noting, 1, check_parts);
}
