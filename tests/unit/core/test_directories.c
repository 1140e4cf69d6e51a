/* Queries over several directories of one lane, some without a column. Spans, blocks and matches
 * with optional and excluded terms attach and detach their own cells, under every executor and with
 * snapshots. Plain arrays are the model. */
#include "mutation_sim.h"

enum { ENTITIES = 200000, TICKS = 6, KEPT = 3 };

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    return x ^ x >> 16;
}

/* By regions of 2,000 entities: all have it, none has it, or two of three have it. */
static bool is_given(uint32_t i, uint32_t which)
{
    uint32_t form = mix(i / 2000 * 31 + which) % 4;
    return form && (form < 3 || mix(i * 7) % 3);
}

/* "extra" is missing in most of directory 1, "mark" in directories 0 and 1. */
static bool has_extra(uint32_t i)
{
    return (i < 60000 || i >= 140000) && is_given(i, 2);
}

static bool has_mark(uint32_t i)
{
    return i >= 131072 && is_given(i, 3);
}

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    if (is_given(i, 1))
        ls_cell_attach(context, 0, entity, &(tally){i});
    if (has_extra(i))
        ls_cell_attach(context, 1, entity, &(tally){i * 3});
    if (has_mark(i))
        ls_cell_attach(context, 3, entity, NULL);
}

static void by_span(ls_context *context, const ls_span *span)
{
    tally *count = ls_span_write(context, span, 0);
    const tally *extra = ls_span_read(context, span, 1);
    uint32_t page = span->first_slot / 256;
    for (uint32_t i = 0; i < span->count; i++)
        count[i].value = count[i].value * 5 + (extra ? extra[i].value : 17);
    tally *attached = !extra && page % 2 == 0 ? ls_span_attach(context, span, 1) : NULL;
    for (uint32_t i = 0; attached && i < span->count; i++)
        attached[i].value = span->first_slot + i;
    if (extra && page % 5 == 0)
        ls_span_detach(context, span, 1);
}

static void by_block(ls_context *context, const ls_block *block)
{
    const tally *count = ls_block_read(context, block, 0);
    uint64_t left = block->matches, odd = 0;
    for (uint32_t i; ls_mask_take(&left, &i);)
        odd |= (uint64_t)(count[i].value & 1) << i;
    if (odd)
        ls_block_detach(context, block, 0, odd);
    uint64_t even = block->matches & ~odd;
    tally *extra = even ? ls_block_attach(context, block, 1, even) : NULL;
    for (uint32_t i; ls_mask_take(&even, &i);)
        extra[i].value += 9;
}

static void by_match(ls_context *context, const ls_entity *entities)
{
    const tally *extra = ls_cell_find(context, 2, entities[0]);
    if (ls_entity_slot(entities[0]) % 3 == 0)
        ls_cell_attach(context, 0, entities[0], NULL);
    if (extra && extra->value % 7 == 0)
        ls_cell_detach(context, 0, entities[0]);
}

static const ls_system systems[] = {
    {.name = "a",
     .span = by_span,
     .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ATTACHES(extras), LS_WITHOUT(marks))},
    {.name = "b",
     .block = by_block,
     .terms = LS_TERM_LIST(LS_DETACHES(counts), LS_ATTACHES(extras), LS_WITH(marks)),
     .after = "a"},
    {.name = "c",
     .match = by_match,
     .terms = LS_TERM_LIST(LS_ATTACHES(marks), LS_WITHOUT(counts), LS_READS(extras)),
     .after = "b"},
};

typedef struct plain_entity {
    bool has_count, has_extra, has_mark;
    uint32_t count, extra;
} plain_entity;
static plain_entity plain[ENTITIES];

static void make_plain(void)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        plain[i] = (plain_entity){is_given(i, 1), has_extra(i), has_mark(i), 0, 0};
        plain[i].count = plain[i].has_count ? i : 0;
        plain[i].extra = plain[i].has_extra ? i * 3 : 0;
    }
}

static void plain_a(plain_entity *self, uint32_t i)
{
    bool had_extra = self->has_extra;
    if (!self->has_count || self->has_mark)
        return;
    self->count = self->count * 5 + (had_extra ? self->extra : 17);
    if (!had_extra && i / 256 % 2 == 0) {
        self->has_extra = true;
        self->extra = i;
    }
    if (had_extra && i / 256 % 5 == 0) {
        self->has_extra = false;
        self->extra = 0;
    }
}

static void plain_b(plain_entity *self)
{
    if (!self->has_count || !self->has_mark)
        return;
    if (self->count & 1) {
        self->has_count = false;
        self->count = 0;
    } else {
        self->has_extra = true;
        self->extra += 9;
    }
}

static void plain_c(plain_entity *self, uint32_t i)
{
    if (self->has_count || !self->has_extra)
        return;
    self->has_mark |= i % 3 == 0;
    self->has_mark &= self->extra % 7 != 0;
}

static void plain_tick(void)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        plain_a(&plain[i], i);
        plain_b(&plain[i]);
        plain_c(&plain[i], i);
    }
}

static void check(const ls_world *world, uint32_t tick)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ls_entity entity = mutation_entity(i);
        const tally *count = ls_world_cell(world, &counts, entity);
        const tally *extra = ls_world_cell(world, &extras, entity);
        if (!count == plain[i].has_count || !extra == plain[i].has_extra ||
            (count && count->value != plain[i].count) || (extra && extra->value != plain[i].extra))
            fail_msg("entity %u after tick %u is another one than that of the arrays", i, tick);
    }
}

static void run(uint32_t threads, uint64_t shuffle_seed, bool with_snapshots)
{
    population = (mutation_population){ENTITIES, furnish};
    harness self;
    harness_begin(&self, mutation_sim(systems, LS_COUNT_OF(systems)), 7);
    ls_executor *executor = harness_executor(threads, shuffle_seed);
    ls_snapshot *kept[KEPT] = {NULL};
    make_plain();
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        if (with_snapshots) {
            ls_snapshot_destroy(kept[tick % KEPT]);
            kept[tick % KEPT] = ls_world_snapshot(self.world);
        }
        harness_tick(self.world, executor);
        plain_tick();
        check(self.world, tick);
    }
    for (uint32_t i = 0; i < KEPT; i++)
        ls_snapshot_destroy(kept[i]);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_directories_are_walked_serially)
{
    run(1, 0, false);
    run(1, 0, true);
}

TEST(test_directories_are_walked_on_threads)
{
    run(2, 0, true);
    run(4, 0, false);
}

TEST(test_directories_are_walked_in_any_order)
{
    run(1, 3, true);
    run(1, 9, false);
}
