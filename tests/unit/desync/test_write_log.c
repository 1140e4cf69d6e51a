/* Each test plants a write that differs between two runs, and asserts the cell and line of the
 * first different write. */
#include "machine_stores.h"
#include "plants.h"

static int32_t calls; /* state outside every world */

static void expect(const ls_system *system, ls_difference_site site, const char *cell)
{
    plants self;
    plants_line = 0;
    assert_int_equal(plants_blame(&self, system, 1), LS_BLAME_SYSTEM);
    plants_expect(&self, site, system->name, cell);
    plants_expect_store(&self, cell, "test_write_log.c", plants_line, NULL);
    plants_end(&self);
}

static int32_t fault_at(const ls_span *span, uint32_t index, uint32_t slot)
{
    return ls_span_entity(span, index) == ls_entity_make(LANE_A, slot, 1) ? 1000 + calls++ : 3;
}

static void assign(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        cells[i].x = 2 * cells[i].x;
        PLANT(cells[i].y = fault_at(span, i, 261));
    }
}

TEST(test_write_log_finds_an_assignment)
{
    const ls_system system = {.name = "assign",
                              .mode = LS_CONCURRENT,
                              .span = assign,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.y of a/261:1");
}

static void *(*volatile copy_bytes)(void *, const void *, size_t) = memcpy;

static void copy(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        const place value = {4, fault_at(span, i, 17)};
        PLANT(copy_bytes(&cells[i], &value, sizeof value));
    }
}

TEST(test_write_log_finds_the_caller_of_memcpy)
{
    const ls_system system = {.name = "copy",
                              .mode = LS_CONCURRENT,
                              .span = copy,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.y of a/17:1");
}

__attribute__((noinline)) static void inner(place *cell, int32_t value)
{
    PLANT(cell->x = value);
    __asm__ volatile("");
}

__attribute__((noinline)) static void outer(place *cell, int32_t value)
{
    inner(cell, value);
    __asm__ volatile("");
}

static void delegate(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        outer(&cells[i], fault_at(span, i, 299));
}

TEST(test_write_log_finds_a_helper_two_calls_deep)
{
    const ls_system system = {.name = "delegate",
                              .mode = LS_CONCURRENT,
                              .span = delegate,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.x of a/299:1");
}

static inline __attribute__((always_inline)) void inlined(place *cell, int32_t value)
{
    PLANT(cell->x = value);
}

static void inlining(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        inlined(&cells[i], fault_at(span, i, 2));
}

TEST(test_write_log_finds_an_inlined_helper)
{
    const ls_system system = {.name = "inlining",
                              .mode = LS_CONCURRENT,
                              .span = inlining,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.x of a/2:1");
}

static void strings(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        const place value = {fault_at(span, i, 33), 5};
        const void *from = &value;
        void *to = &cells[i];
        size_t bytes = sizeof value;
        PLANT(COPY_BYTES(to, from, bytes));
    }
}

TEST(test_write_log_finds_a_string_instruction)
{
    const ls_system system = {.name = "strings",
                              .mode = LS_CONCURRENT,
                              .span = strings,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.x of a/33:1");
}

typedef int32_t four __attribute__((vector_size(16), aligned(4), may_alias));

/* Writes two cells by one instruction. */
static void vectors(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i + 1 < span->count; i += 2) {
        const four values = {9, 9, 9, fault_at(span, i + 1, 129)};
        PLANT(*(four *)(void *)&cells[i] = values);
    }
}

TEST(test_write_log_finds_a_vector_instruction)
{
    const ls_system system = {.name = "vectors",
                              .mode = LS_CONCURRENT,
                              .span = vectors,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.y of a/129:1");
}

static void by_handle(ls_context *context, const ls_entity *entities)
{
    char digits[16];
    place *cell = ls_cell_write(context, 0, entities[0]);
    snprintf(digits, sizeof digits, "%d", calls++);
    if (ls_entity_slot(entities[0]) == 258)
        PLANT(cell->x = atoi(digits));
}

TEST(test_write_log_finds_a_store_by_handle)
{
    const ls_system system = {.name = "handle",
                              .mode = LS_SEQUENTIAL,
                              .match = by_handle,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    expect(&system, LS_SITE_CELL, "place.x of a/258:1");
}

static void overwrite(ls_context *context, const ls_entity *entities)
{
    const place value = {1, calls++};
    if (ls_entity_slot(entities[0]) == 3)
        PLANT(ls_cell_attach(context, 1, entities[0], &value));
}

/* The engine writes on behalf of the system: the reported line is that of the call. */
TEST(test_write_log_finds_the_caller_of_an_attach)
{
    const ls_system system = {.name = "overwrite",
                              .mode = LS_SEQUENTIAL,
                              .match = overwrite,
                              .terms = LS_TERM_LIST(LS_WITH(places), LS_OTHERS_STRUCTURE(places))};
    expect(&system, LS_SITE_CELL, "place.y of a/3:1");
}

/* No cell of this component exists yet, so it has no page either. */
static void attach(ls_context *context, const ls_entity *entities)
{
    ls_entity entity = ls_entity_make(LANE_A, 70 + (uint32_t)(calls++ % 2), 1);
    PLANT(ls_cell_attach(context, 0, entity, NULL));
    __asm__ volatile("");
}

TEST(test_write_log_finds_presence)
{
    const ls_system system = {.name = "attach",
                              .mode = LS_SEQUENTIAL,
                              .match = attach,
                              .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(notes))};
    calls = 0;
    expect(&system, LS_SITE_CELL, "note of a/70:1");
}

static void singleton(ls_context *context, const ls_entity *entities)
{
    tally *sum = ls_singleton_write(context, 0);
    sum->sum++;
    PLANT(sum->spare = (uint32_t)calls++);
}

TEST(test_write_log_finds_a_singleton)
{
    const ls_system system = {.name = "singleton",
                              .mode = LS_SEQUENTIAL,
                              .match = singleton,
                              .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tallies))};
    expect(&system, LS_SITE_CELL, "tally.spare");
}

static void undeclared(ls_context *context, const ls_span *span)
{
    place *cells = unconst(ls_span_read(context, span, 0));
    PLANT(cells[11].x = calls++);
}

TEST(test_write_log_finds_an_undeclared_store)
{
    const ls_system system = {.name = "stray",
                              .mode = LS_CONCURRENT,
                              .span = undeclared,
                              .terms = LS_TERM_LIST(LS_READS(places))};
    expect(&system, LS_SITE_UNDECLARED, "place.x of a/11:1");
}

static void start(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        const place *before = ls_cell_find(context, 1, ls_span_entity(span, i));
        PLANT(cells[i].y = before->y + fault_at(span, i, 64));
    }
}

/* The first write copies the page: the copy must be watched. */
TEST(test_write_log_finds_a_store_beside_the_start)
{
    const ls_system system = {.name = "start",
                              .mode = LS_CONCURRENT,
                              .span = start,
                              .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_START(places))};
    expect(&system, LS_SITE_CELL, "place.y of a/64:1");
}

static void command(ls_context *context, const ls_entity *entities)
{
    const tally value = {1, (uint32_t)calls++};
    ls_command_attach(context, 0, ls_entity_make(LANE_A, 1, 1), &(tally){5, 6});
    PLANT(ls_command_attach(context, 0, ls_entity_make(LANE_A, 2, 1), &value));
}

TEST(test_write_log_finds_a_command)
{
    const ls_system system = {.name = "command",
                              .mode = LS_SEQUENTIAL,
                              .match = command,
                              .terms = LS_TERM_LIST(LS_COMMANDED(notes))};
    expect(&system, LS_SITE_COMMANDS, "note.spare of a/2:1");
}

static void accumulate(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const tally value = {(uint32_t)fault_at(span, i, 100), 0};
        PLANT(ls_accumulate(context, 0, LS_ENTITY_NULL, &value));
    }
}

TEST(test_write_log_finds_an_accumulation)
{
    const ls_system system = {.name = "accumulate",
                              .mode = LS_CONCURRENT,
                              .span = accumulate,
                              .terms =
                                  LS_TERM_LIST(LS_ACCUMULATES(tallies, LS_ADD), LS_WITH(places))};
    expect(&system, LS_SITE_COMMANDS, "tally.sum");
}

static void despawn(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = 40 + (uint32_t)(calls++ / 300 % 2);
    if (ls_entity_slot(entities[0]) == slot)
        PLANT(ls_despawn(context, entities[0]));
    __asm__ volatile(""); /* keeps the call from becoming a tail call */
}

TEST(test_write_log_finds_a_despawn)
{
    const ls_system system = {.name = "despawn",
                              .mode = LS_SEQUENTIAL,
                              .match = despawn,
                              .terms = LS_TERM_LIST(LS_WITH(places))};
    calls = 0;
    expect(&system, LS_SITE_MARKS, "a/40:1");
}

/* A system that ends with a tail call leaves no stack frame: its own first line is reported. */
static void end_with_a_call(ls_context *context, const ls_entity *entities)
{
    ls_entity victim = ls_entity_make(LANE_A, 40 + (uint32_t)(calls++ % 2), 1);
    ls_despawn(context, victim);
}

TEST(test_write_log_names_a_system_that_ends_with_a_call)
{
    const ls_system system = {.name = "last", .mode = LS_SEQUENTIAL, .match = end_with_a_call};
    const ls_frame frame = {.tick = 0};
    ls_stores stores;
    plants self;
    assert_int_equal(plants_blame(&self, &system, 1), LS_BLAME_SYSTEM);
    assert_int_equal(self.suspect.site, LS_SITE_MARKS);
    assert_ok(ls_desync_watch(&self.runs[0], 0, &frame, &self.suspect, &stores, NULL));
    assert_int_equal(stores.count, 1);
    ls_sources *sources = ls_sources_open();
    ls_source_place found = ls_write_log_line(&stores, &stores.list[0], sources);
    char *trace = ls_write_log_trace(&stores, &stores.list[0], sources);
    assert_string_equal(found.function, "end_with_a_call");
    assert_non_null(strstr(trace, "ls_despawn at "));
    assert_non_null(strstr(trace, "end_with_a_call at "));
    assert_null(strstr(trace, "ls_run_"));
    ls_free(trace);
    ls_sources_close(sources);
    ls_stores_reset(&stores);
    plants_end(&self);
}

static void steps(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (volatile place *cell = cells; cell < cells + span->count; cell++) {
        cell->x = 5;
        cell->x = 5;
        cell->x = 6;
    }
    calls++;
    PLANT(((volatile place *)cells)[1].x = 7 + calls);
}

/* Three writes to the cell are equal, one of them without effect; the fourth differs. */
TEST(test_write_log_counts_the_stores_into_one_cell)
{
    const ls_system system = {.name = "steps",
                              .mode = LS_CONCURRENT,
                              .span = steps,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    plants self;
    calls = 1;
    assert_int_equal(plants_blame(&self, &system, 1), LS_BLAME_SYSTEM);
    plants_expect_store(&self, "place.x of a/1:1: 6 -> ", "test_write_log.c", plants_line, NULL);
    plants_end(&self);
}

TEST(test_write_log_refuses_writes_of_no_system)
{
    const ls_system system = {.name = "none",
                              .mode = LS_CONCURRENT,
                              .span = assign,
                              .terms = LS_TERM_LIST(LS_WRITES(places))};
    const ls_sim sim = check_sim(&system, 1);
    const ls_frame frame = {.tick = 0}, late = {.tick = 3};
    ls_stores stores;
    ls_error error;
    char what[96];
    plants self;
    plants_begin(&self, &sim, NULL);
    assert_true(ls_world_flip_bit(self.b.world, 2, what, sizeof what));
    assert_int_equal(plants_find(&self), LS_BLAME_START);
    assert_int_equal(ls_desync_watch(&self.runs[0], 0, &frame, &self.suspect, &stores, &error),
                     LS_ERROR_USAGE);
    assert_int_equal(ls_desync_watch(&self.runs[0], 0, &late, &self.suspect, &stores, &error),
                     LS_ERROR_USAGE);
    plants_end(&self);
}
