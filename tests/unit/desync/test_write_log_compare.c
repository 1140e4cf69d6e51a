/* The reported write for two builds of a system, each with a write that the other lacks. */
#include "plants.h"

/* One build writes a/10 late, the other a/2 early; both also make equal writes before and after. */
static uint32_t line_here, line_there;

static void here(ls_context *context, const ls_span *span)
{
    volatile place *cells = ls_span_write(context, span, 0);
    cells[9].x = 8;
    PLANT(cells[10].y += 5);
    line_here = plants_line;
}

static void there(ls_context *context, const ls_span *span)
{
    volatile place *cells = ls_span_write(context, span, 0);
    PLANT(cells[2].x += 77);
    line_there = plants_line;
    cells[9].x = 8;
}

static void both_here(ls_context *context, const ls_span *span)
{
    volatile place *cells = ls_span_write(context, span, 0);
    PLANT(cells[10].y += 5);
    line_here = plants_line;
    cells[9].x = 8;
}

static void both_there(ls_context *context, const ls_span *span)
{
    volatile place *cells = ls_span_write(context, span, 0);
    cells[9].x = 8;
    PLANT(cells[2].x += 77);
    line_there = plants_line;
}

static void begin_builds(plants *self, void (*a)(ls_context *, const ls_span *),
                         void (*b)(ls_context *, const ls_span *))
{
    static ls_system systems[2];
    static ls_sim sims[2];
    for (uint32_t i = 0; i < 2; i++) {
        systems[i] = (ls_system){.name = "parted",
                                 .mode = LS_CONCURRENT,
                                 .span = i ? b : a,
                                 .terms = LS_TERM_LIST(LS_WRITES(places))};
        sims[i] = check_sim(&systems[i], 1);
    }
    plants_begin(self, &sims[0], &sims[1]);
    assert_int_equal(plants_find(self), LS_BLAME_SYSTEM);
}

/* Asserts the cell's text and the line of each side's write: NULL for a side without one. */
static void expect_sides(plants *self, const ls_suspect *wanted, const char *const texts[2],
                         const uint32_t lines[2])
{
    const ls_frame frame = {.tick = 0};
    ls_sources *sources = ls_sources_open();
    ls_stores stores[2];
    const ls_write_log *first[2];
    for (uint32_t i = 0; i < 2; i++)
        assert_ok(ls_desync_watch(&self->runs[i], i, &frame, &self->suspect, &stores[i], NULL));
    assert_true(ls_stores_compare(&stores[0], &stores[1], wanted, &first[0], &first[1]));
    for (uint32_t i = 0; i < 2; i++) {
        char *text = first[i] ? ls_write_log_print(first[i], self->a.program) : NULL;
        assert_int_equal(text != NULL, texts[i] != NULL);
        if (text && strncmp(text, texts[i], strlen(texts[i])) != 0)
            fail_msg("not %s, but %s", texts[i], text);
        if (text)
            assert_int_equal(ls_write_log_line(&stores[i], first[i], sources).line, lines[i]);
        ls_free(text);
    }
    for (uint32_t i = 0; i < 2; i++)
        ls_stores_reset(&stores[i]);
    ls_sources_close(sources);
}

TEST(test_write_log_compare_takes_the_cell_that_is_named)
{
    plants self;
    begin_builds(&self, here, there);
    plants_expect(&self, LS_SITE_CELL, "parted", "place.x of a/2:1");
    expect_sides(&self, &self.suspect, (const char *[]){NULL, "place.x of a/2:1"},
                 (uint32_t[]){0, line_there});
    plants_end(&self);
    begin_builds(&self, both_here, both_there);
    expect_sides(&self, &self.suspect, (const char *[]){NULL, "place.x of a/2:1"},
                 (uint32_t[]){0, line_there});
    plants_end(&self);
}

/* No write is to the wanted cell: the earliest write of both sides is reported. */
TEST(test_write_log_compare_takes_the_earlier_side)
{
    plants self;
    begin_builds(&self, here, there);
    expect_sides(&self, NULL, (const char *[]){NULL, "place.x of a/2:1"},
                 (uint32_t[]){0, line_there});
    plants_end(&self);
    begin_builds(&self, both_here, both_there);
    expect_sides(&self, NULL, (const char *[]){"place.y of a/10:1", NULL},
                 (uint32_t[]){line_here, 0});
    plants_end(&self);
}

/* The most writes that a watch keeps, to few addresses. Comparing all pairs would take minutes. */
TEST(test_write_log_compare_takes_long_lists)
{
    ls_stores lists[2];
    const ls_write_log *first[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t count = 4 * LS_WRITE_WATCH_STORES_MAX;
        lists[i] = (ls_stores){.list = ls_alloc(sizeof *lists[i].list * count), .count = count};
        for (uint32_t k = 0; k < count; k++)
            lists[i].list[k] =
                (ls_write_log){.at = 4 * (k % 7), .bytes = 4, .now = {(uint8_t)k, 1}};
    }
    assert_false(ls_stores_compare(&lists[0], &lists[1], NULL, &first[0], &first[1]));
    lists[1].list[lists[1].count - 2].now[1] = 2;
    assert_true(ls_stores_compare(&lists[0], &lists[1], NULL, &first[0], &first[1]));
    assert_ptr_equal(first[0], &lists[0].list[lists[0].count - 2]);
    assert_ptr_equal(first[1], &lists[1].list[lists[1].count - 2]);
    for (uint32_t i = 0; i < 2; i++)
        ls_stores_reset(&lists[i]);
}
