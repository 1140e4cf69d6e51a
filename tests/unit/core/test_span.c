/* Spans and blocks: their arrays, and attaching and detaching through them in every state of a
 * page. */
#include "mutation_sim.h"

#include "core/state/page.h"

/* Patterns of components: parts of words, runs across word and page borders, missing pages. */
static bool has_extra(uint32_t i)
{
    return (i >= 60 && i < 70) || (i >= 250 && i < 262) || i % 37 == 0 || i / 256 == 3;
}

static bool has_mark(uint32_t i)
{
    return i % 5 != 2 && i / 256 != 2;
}

static bool has_count(uint32_t i)
{
    return i % 41 != 7 && i / 256 != 4;
}

static void with_parts(ls_context *context, ls_entity entity, uint32_t i)
{
    if (has_count(i))
        ls_cell_attach(context, 0, entity, &(tally){i});
    if (has_extra(i))
        ls_cell_attach(context, 1, entity, &(tally){i + 5000});
    if (has_mark(i))
        ls_cell_attach(context, 3, entity, NULL);
}

enum { COUNT, EXTRA, MARK, FAR };

/* Asserts the result of a tick in either form. Entities with "extra" lose it; others get it with
 * twice their count. The same happens with "mark". */
static void expect_turned(ls_world *world)
{
    bool is_odd = ls_world_tick(world) % 2;
    for (uint32_t i = 0; i < population.count; i++) {
        const tally *extra = ls_world_cell(world, &extras, mutation_entity(i));
        bool has = has_count(i) && is_odd ? !has_extra(i) : has_extra(i);
        assert_int_equal(extra != NULL, has);
        if (extra && has_extra(i) && !has_count(i))
            assert_int_equal(extra->value, i + 5000);
        else if (extra)
            assert_int_equal(extra->value, i * 2);
        assert_int_equal(ls_world_cell(world, &marks, mutation_entity(i)) != NULL,
                         has_count(i) && is_odd ? !has_mark(i) : has_mark(i));
    }
}

static void turn_span(ls_context *context, const ls_span *span)
{
    const tally *own = ls_span_read(context, span, COUNT);
    const tally *old = ls_span_read(context, span, EXTRA);
    assert_null(ls_span_read(context, span, MARK));
    assert_null(ls_span_read(context, span, FAR));
    assert_ptr_equal(ls_span_write(context, span, EXTRA), old);
    bool has = ls_cell_has(context, EXTRA, ls_span_entity(span, 0));
    bool is_marked = ls_cell_has(context, MARK, ls_span_entity(span, 0));
    assert_int_equal(has, old != NULL);
    for (uint32_t i = 0; i < span->count; i++) {
        assert_int_equal(ls_cell_has(context, EXTRA, ls_span_entity(span, i)), has);
        assert_int_equal(ls_cell_has(context, MARK, ls_span_entity(span, i)), is_marked);
        assert_int_equal(own[i].value, span->first_slot + i);
    }
    if (is_marked)
        ls_span_detach(context, span, MARK);
    else
        assert_null(ls_span_attach(context, span, MARK));
    if (has) {
        ls_span_detach(context, span, EXTRA);
        return;
    }
    tally *extra = ls_span_attach(context, span, EXTRA);
    for (uint32_t i = 0; i < span->count; i++) {
        assert_int_equal(extra[i].value, 0);
        extra[i].value = own[i].value * 2;
    }
    assert_ptr_equal(ls_span_attach(context, span, EXTRA),
                     extra); /* every entity has it, so the cells are kept */
    assert_int_equal(extra[0].value, own[0].value * 2);
}

static void turn_block(ls_context *context, const ls_block *block)
{
    const tally *own = ls_block_read(context, block, COUNT);
    assert_null(ls_block_read(context, block, MARK));
    assert_null(ls_block_read(context, block, FAR));
    assert_int_equal(block->matches & ~block->present[COUNT], 0);
    uint64_t losers = block->matches & block->present[EXTRA];
    uint64_t gainers = block->matches & ~block->present[EXTRA];
    uint64_t marked = block->matches & block->present[MARK];
    ls_block_detach(context, block, MARK, marked);
    if (block->matches & ~marked)
        assert_null(ls_block_attach(context, block, MARK, block->matches & ~marked));
    ls_block_detach(context, block, EXTRA, losers);
    ls_block_detach(context, block, EXTRA, 0);
    tally *extra = ls_block_attach(context, block, EXTRA, gainers);
    uint32_t i;
    for (uint64_t left = gainers; ls_mask_take(&left, &i);) {
        assert_int_equal(ls_block_entity(block, i), mutation_entity(block->first_slot + i));
        assert_int_equal(own[i].value, block->first_slot + i);
        assert_int_equal(extra[i].value, 0);
        extra[i].value = own[i].value * 2;
    }
    for (uint64_t left = block->matches; ls_mask_take(&left, &i);)
        assert_int_equal(ls_cell_has(context, EXTRA, ls_block_entity(block, i)), gainers >> i & 1);
}

#define TURN_TERMS                                                                                 \
    LS_TERM_LIST([COUNT] = LS_READS(counts), [EXTRA] = LS_ATTACHES(extras),                        \
                 [MARK] = LS_ATTACHES(marks), [FAR] = LS_OTHERS_READ(links))
static const ls_system span_turning[] = {{.name = "turn", .span = turn_span, .terms = TURN_TERMS}};
static const ls_system block_turning[] = {
    {.name = "turn", .block = turn_block, .terms = TURN_TERMS}};

TESTS_AROUND(mutation_forget, NULL);

TEST(test_span_attaches_and_detaches_parts)
{
    population = (mutation_population){1400, with_parts};
    mutations_agree(span_turning, 1, expect_turned);
    mutations_agree(span_turning, 3, expect_turned);
}

TEST(test_span_block_attaches_and_detaches_parts)
{
    population = (mutation_population){1400, with_parts};
    mutations_agree(block_turning, 1, expect_turned);
    mutations_agree(block_turning, 3, expect_turned);
}

/* Both forms give equal results, with or without a snapshot of every tick, and the snapshots stay
 * unchanged. */
TEST(test_span_forms_agree_over_shared_pages)
{
    population = (mutation_population){1100, with_parts};
    const ls_system *forms[] = {span_turning, block_turning};
    uint64_t roots[2][5];
    for (uint32_t form = 0; form < 4; form++) {
        harness self;
        harness_begin(&self, mutation_sim(forms[form % 2], 1), 7);
        ls_snapshot *snapshots[5];
        for (uint32_t tick = 0; tick < 5; tick++) {
            if (form >= 2)
                snapshots[tick] = ls_world_snapshot(self.world);
            harness_tick(self.world, NULL);
            if (form < 2)
                roots[form][tick] = ls_world_root(self.world);
            assert_int_equal(ls_world_root(self.world), roots[0][tick]);
        }
        for (uint32_t tick = 5; form >= 2 && tick-- > 0;) {
            ls_world_restore(self.world, snapshots[tick]);
            if (tick > 0)
                assert_int_equal(ls_world_root(self.world), roots[0][tick - 1]);
            ls_snapshot_destroy(snapshots[tick]);
        }
        harness_end(&self);
    }
    assert_memory_equal(roots[0], roots[1], sizeof roots[0]);
}

/* A loop over a whole block also writes cells of free slots. These values must not show later, nor
 * those written through a pointer after a detach. */
static void smear(ls_context *context, const ls_block *block)
{
    tally *extra = ls_block_write(context, block, EXTRA);
    for (uint32_t i = 0; extra && i < 64; i++)
        extra[i].value = (extra[i].value + 3) & (block->matches >> i & 1 ? UINT32_MAX : 1023);
    uint64_t losers = block->matches & block->present[EXTRA] & UINT64_C(0x5555555555555555);
    ls_block_detach(context, block, EXTRA, losers);
    for (uint32_t i = 0; extra && i < 64; i++) {
        if (losers >> i & 1)
            extra[i].value = 0xdead;
    }
}

static void regain(ls_context *context, const ls_block *block)
{
    uint64_t lacking = block->matches & ~block->present[EXTRA];
    const tally *extra = ls_block_attach(context, block, EXTRA, lacking);
    uint32_t i;
    while (ls_mask_take(&lacking, &i))
        assert_int_equal(extra[i].value, 0);
}

static void regain_span(ls_context *context, const ls_span *span)
{
    if (ls_span_read(context, span, EXTRA))
        return;
    const tally *extra = ls_span_attach(context, span, EXTRA);
    for (uint32_t i = 0; i < span->count; i++)
        assert_int_equal(extra[i].value, 0);
}

static const ls_system smearing[] = {
    {.name = "smear", .block = smear, .terms = TURN_TERMS},
    {.name = "regain", .block = regain, .terms = TURN_TERMS, .after = "smear"}};
static const ls_system smearing_spans[] = {
    {.name = "smear", .block = smear, .terms = TURN_TERMS},
    {.name = "regain", .span = regain_span, .terms = TURN_TERMS, .after = "smear"}};

static void expect_veteran_as_newcomer(const ls_sim *sim)
{
    harness self;
    harness_begin(&self, sim, 7);
    ls_world *newcomer = harness_world(&self);
    for (uint32_t tick = 0; tick < 4; tick++) {
        size_t count;
        uint8_t *bytes = harness_bytes(self.world, &count);
        assert_int_equal(ls_world_decode(newcomer, bytes, count, NULL), LS_OK);
        ls_free(bytes);
        harness_tick(self.world, NULL);
        harness_tick(newcomer, NULL);
        assert_int_equal(ls_world_root(self.world), ls_world_root(newcomer));
    }
    ls_world_destroy(newcomer);
    harness_end(&self);
}

static void everything(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    ls_cell_attach(context, 1, entity, &(tally){i});
}

TEST(test_span_attaching_brings_zeros_whatever_was_left)
{
    population = (mutation_population){1000, with_parts};
    expect_veteran_as_newcomer(mutation_sim(smearing, 2));
    expect_veteran_as_newcomer(mutation_sim(smearing_spans, 2));
    population = (mutation_population){512, everything};
    expect_veteran_as_newcomer(mutation_sim(smearing, 2));
}

/* Writes change the cells in the arrays that came with the span or block. */
static void raise_span(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value++;
}

static void raise_block(ls_context *context, const ls_block *block)
{
    tally *own = ls_block_write(context, block, 0);
    uint32_t i;
    for (uint64_t left = block->matches; ls_mask_take(&left, &i);)
        own[i].value++;
}

static void check_raised(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++) {
        const tally *cell = ls_world_cell(world, &counts, mutation_entity(i));
        if (cell)
            assert_int_equal(cell->value, i + (has_mark(i) ? ls_world_tick(world) : 0));
    }
}

TEST(test_span_writes_reach_the_matches_alone)
{
    const ls_system spans[] = {{.name = "raise",
                                .span = raise_span,
                                .terms = LS_TERM_LIST(LS_WRITES(counts), LS_WITH(marks))}};
    const ls_system blocks[] = {{.name = "raise",
                                 .block = raise_block,
                                 .terms = LS_TERM_LIST(LS_WRITES(counts), LS_WITH(marks))}};
    population = (mutation_population){1400, with_parts};
    mutations_agree(spans, 3, check_raised);
    mutations_agree(blocks, 3, check_raised);
}

/* Two terms of one column see one page, even if the write copies it. */
static void raise_twice_span(ls_context *context, const ls_span *span)
{
    const tally *seen = ls_span_read(context, span, 0);
    tally *own = ls_span_write(context, span, 1);
    assert_ptr_equal(seen, own);
    assert_ptr_equal(ls_span_read(context, span, 2), own);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value = seen[i].value + 1;
}

static void raise_twice_block(ls_context *context, const ls_block *block)
{
    assert_ptr_equal(ls_block_read(context, block, 0), ls_block_write(context, block, 1));
    raise_block(context, block);
}

TEST(test_span_terms_of_one_column_see_one_page)
{
    /* LS_OTHERS_START shares the pages, so the first write copies each page. */
    const ls_system spans[] = {
        {.name = "raise",
         .span = raise_twice_span,
         .terms = LS_TERM_LIST(LS_READS(counts), LS_WRITES(counts), LS_READS(counts),
                               LS_WITH(marks), LS_OTHERS_START(counts))}};
    const ls_system blocks[] = {{.name = "raise",
                                 .block = raise_twice_block,
                                 .terms = LS_TERM_LIST(LS_WRITES(counts), LS_WRITES(counts),
                                                       LS_WITH(marks), LS_OTHERS_START(counts))}};
    population = (mutation_population){1400, with_parts};
    mutations_agree(spans, 3, check_raised);
    mutations_agree(blocks, 3, check_raised);
}

/* Asserts that each block comes once, in ascending order within its page, and with at least one
 * match. */
static void note_block(ls_context *context, const ls_block *block)
{
    assert_true(block->matches != 0);
    assert_int_equal(block->first_slot % 64, 0);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t slot = block->first_slot + i;
        bool is_match = slot < population.count && has_count(slot) && !has_extra(slot);
        assert_int_equal(block->matches >> i & 1, is_match);
    }
    ls_accumulate(context, 2, LS_ENTITY_NULL,
                  &(total){.sum = 1, .few = (uint32_t)__builtin_popcountll(block->matches)});
}

static void check_blocks(ls_world *world)
{
    uint32_t matches = 0, blocks = 0;
    for (uint32_t first = 0; first < population.count; first += 64) {
        uint32_t before = matches;
        for (uint32_t i = first; i < first + 64 && i < population.count; i++)
            matches += has_count(i) && !has_extra(i);
        blocks += matches > before;
    }
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, matches);
    assert_int_equal(all->sum, blocks);
}

TEST(test_span_blocks_come_once_each)
{
    const ls_system noting[] = {{.name = "note",
                                 .block = note_block,
                                 .terms = LS_TERM_LIST(LS_READS(counts), LS_WITHOUT(extras),
                                                       LS_ACCUMULATES(totals, LS_ADD))}};
    population = (mutation_population){1400, with_parts};
    mutations_agree(noting, 1, check_blocks);
}

static void attach_outside(ls_context *context, const ls_block *block)
{
    ls_block_attach(context, block, 1, ~block->matches);
}

static void detach_outside(ls_context *context, const ls_block *block)
{
    ls_block_detach(context, block, 1, UINT64_MAX);
}

static void one_tick(void *systems)
{
    harness self;
    harness_begin(&self, mutation_sim(systems, 1), 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_span_blocks_stop_at_what_does_not_match)
{
    population = (mutation_population){300, with_parts};
    ls_system systems[] = {{.name = "reach",
                            .block = attach_outside,
                            .terms = LS_TERM_LIST(LS_READS(counts), LS_ATTACHES(extras))}};
    assert_dies(one_tick, systems, "\"reach\"", "\"extra\"", "do not match");
    systems[0].block = detach_outside;
    assert_dies(one_tick, systems, "\"reach\"", "\"extra\"", "do not match");
}

static void with_count_alone(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
}

/* The page of "extra" is created between two lookups. */
static void look_and_attach(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(ls_cell_has(context, EXTRA, ls_span_entity(span, 0)),
                         ls_span_read(context, span, EXTRA) != NULL);
    ls_span_attach(context, span, EXTRA);
    assert_true(ls_cell_has(context, EXTRA, ls_span_entity(span, 0)));
    assert_non_null(ls_cell_find(context, EXTRA, ls_span_entity(span, span->count - 1)));
}

static void check_all_extra(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++)
        assert_non_null(ls_world_cell(world, &extras, mutation_entity(i)));
}

TEST(test_span_attaching_is_seen_at_once)
{
    const ls_system attaching[] = {
        {.name = "attach", .span = look_and_attach, .terms = TURN_TERMS}};
    population = (mutation_population){600, with_count_alone};
    mutations_agree(attaching, 1, check_all_extra);
}

/* A second term of a written column sees the same cells, even if a snapshot shares the page and the
 * write copies it. */
static void write_span_twice(ls_context *context, const ls_span *span)
{
    const tally *seen = ls_span_read(context, span, 0);
    tally *own = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value += 1 + seen[i].value;
    assert_int_equal(seen[0].value, own[0].value);
}

static void write_block_twice(ls_context *context, const ls_block *block)
{
    const tally *seen = ls_block_read(context, block, 0);
    tally *own = ls_block_write(context, block, 1);
    uint32_t i;
    for (uint64_t left = block->matches; ls_mask_take(&left, &i);) {
        own[i].value += 1 + seen[i].value;
        assert_int_equal(seen[i].value, own[i].value);
    }
}

TEST(test_span_two_terms_of_a_column_agree_over_shared_pages)
{
    const ls_system forms[] = {
        {.name = "twice",
         .span = write_span_twice,
         .terms = LS_TERM_LIST(LS_READS(counts), LS_WRITES(counts))},
        {.name = "twice",
         .block = write_block_twice,
         .terms = LS_TERM_LIST(LS_OPTIONALLY_READS(counts), LS_WRITES(counts))}};
    for (uint32_t form = 0; form < LS_COUNT_OF(forms); form++) {
        harness self;
        population = (mutation_population){300, NULL};
        harness_begin(&self, mutation_sim(&forms[form], 1), 1);
        ls_snapshot *snapshot = ls_world_snapshot(self.world);
        harness_tick(self.world, NULL);
        ls_snapshot_destroy(snapshot);
        harness_tick(self.world, NULL);
        harness_end(&self);
    }
}

/* Attaching to no entity must not leave a page: a client that loads a snapshot has no such page. */
static void attach_to_dead(ls_context *context, const ls_block *block)
{
    assert_null(ls_block_read(context, block, 1));
    assert_non_null(ls_block_attach(context, block, 1, 0));
}

TEST(test_span_attaching_to_nobody_leaves_no_page)
{
    const ls_system missing_terms[] = {
        {.name = "nobody",
         .block = attach_to_dead,
         .terms = LS_TERM_LIST(LS_READS(counts), LS_ATTACHES(extras))}};
    harness self;
    population = (mutation_population){64, NULL};
    harness_begin(&self, mutation_sim(missing_terms, 1), 1);
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, NULL);
    harness_end(&self);
}
