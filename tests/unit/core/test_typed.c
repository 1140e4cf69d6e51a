/* Access that checks sizes: with the right size it equals access without a check, with another size
 * it aborts. */
#include "check_sim.h"
#include <lockstep/typed.h>

/* As a caller that knows types and no names does. */
#define FIND(type, context, term, entity)                                                          \
    ((const type *)ls_cell_find_sized_(context, term, entity, sizeof(type)))
#define WRITE(type, context, term, entity)                                                         \
    ((type *)ls_cell_write_sized_(context, term, entity, sizeof(type)))
#define ATTACH(context, term, entity, ...)                                                         \
    ls_cell_attach_sized_(context, term, entity, sizeof *(__VA_ARGS__), __VA_ARGS__)
#define READER(type, context, term) ls_context_sized_(context, term, sizeof(type))
#define WRITER(type, context, term) ls_writer_sized_(context, term, sizeof(type))

typedef struct wide {
    place at;
    int32_t more;
} wide;

/* The call that the system under test makes. */
static void (*deed)(ls_context *context, ls_entity entity);

static void do_match(ls_context *context, const ls_entity *entities)
{
    deed(context, entities[0]);
}

static void do_span(ls_context *context, const ls_span *span)
{
    if (span->first_slot == 0) {
        place *at = ls_span_write(WRITER(place, context, 0), span, 0);
        at[2].x = ((const place *)ls_span_read(READER(place, context, 0), span, 0))[1].x + 10;
    }
}

static void do_wide_span(ls_context *context, const ls_span *span)
{
    (void)ls_span_write(WRITER(wide, context, 0), span, 0);
}

static void do_wide_block(ls_context *context, const ls_block *block)
{
    (void)ls_block_read(READER(wide, context, 0), block, 0);
}

enum { PLACES, OTHERS, TALLY, BELL, NOTE, SUM };
#define TERMS                                                                                      \
    LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_STRUCTURE(places), LS_OTHERS_WRITE(tallies),         \
                 LS_SENDS(bells), LS_COMMANDED(notes), LS_ACCUMULATES(tallies, LS_ADD))

static void run(const ls_system *systems, ls_executor *executor, int32_t slot, int32_t x)
{
    ls_sim sim = check_sim(systems, 1);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, executor);
    if (x) {
        const place *at = ls_world_cell(self.world, &places, ls_entity_make(LANE_A, slot, 1));
        assert_int_equal(at->x, x);
    }
    harness_end(&self);
}

static void use_all(ls_context *context, ls_entity entity)
{
    if (ls_entity_slot(entity) != 5)
        return;
    WRITE(place, context, PLACES, entity)->x = 70;
    assert_int_equal(FIND(place, context, PLACES, entity)->x, 70);
    assert_true(ATTACH(context, OTHERS, entity, &(place){71, 2}));
    ((tally *)ls_singleton_write(WRITER(tally, context, TALLY), TALLY))->sum = 3;
    assert_int_equal(((const tally *)ls_singleton_read(READER(tally, context, TALLY), TALLY))->sum,
                     3);
    ls_event_send(WRITER(tally, context, BELL), BELL, &(tally){1, 2});
    ls_command_attach(WRITER(tally, context, NOTE), NOTE, entity, &(tally){1, 2});
    assert_true(ls_accumulate(WRITER(tally, context, SUM), SUM, LS_ENTITY_NULL, &(tally){1, 2}));
}

static void test_typed_access_is_the_plain_one(void **state)
{
    const ls_system match[] = {
        {.name = "all", .mode = LS_SEQUENTIAL, .match = do_match, .terms = TERMS}};
    const ls_system span[] = {
        {.name = "it", .span = do_span, .terms = LS_TERM_LIST(LS_WRITES(places))}};
    deed = use_all;
    run(match, NULL, 5, 71);
    run(span, NULL, 2, 11);
}

static void find_wide(ls_context *context, ls_entity entity)
{
    (void)FIND(wide, context, PLACES, entity);
}

static void write_wide(ls_context *context, ls_entity entity)
{
    WRITE(wide, context, PLACES, entity)->more = 1;
}

static void attach_wide(ls_context *context, ls_entity entity)
{
    (void)ATTACH(context, OTHERS, entity, &(wide){.more = 1});
}

static void attach_narrow(ls_context *context, ls_entity entity)
{
    (void)ATTACH(context, OTHERS, entity, &(int32_t){1});
}

static void take_wide_singleton(ls_context *context, ls_entity entity)
{
    (void)ls_singleton_read(READER(wide, context, TALLY), TALLY);
}

static void send_wide(ls_context *context, ls_entity entity)
{
    ls_event_send(WRITER(wide, context, BELL), BELL, &(wide){.more = 1});
}

static void command_narrow(ls_context *context, ls_entity entity)
{
    ls_command_attach(WRITER(uint32_t, context, NOTE), NOTE, entity, &(uint32_t){1});
}

static void accumulate_narrow(ls_context *context, ls_entity entity)
{
    (void)ls_accumulate(WRITER(uint32_t, context, SUM), SUM, LS_ENTITY_NULL, &(uint32_t){1});
}

static void name_no_term(ls_context *context, ls_entity entity)
{
    (void)FIND(place, context, 9, entity);
}

static void run_given(void *systems)
{
    run(systems, NULL, 0, 0);
}

static void test_typed_access_of_another_size_stops(void **state)
{
    ls_system match[] = {{.name = "it", .mode = LS_SEQUENTIAL, .match = do_match, .terms = TERMS}};
    const struct {
        void (*deed)(ls_context *context, ls_entity entity);
        const char *term, *says;
    } table[] = {
        {find_wide, "term 0 (\"place\")", "a cell of 8 bytes for a type of 12"},
        {write_wide, "term 0 (\"place\")", "a cell of 8 bytes for a type of 12"},
        {attach_wide, "term 1 (\"place\")", "a cell of 8 bytes for a type of 12"},
        {attach_narrow, "term 1 (\"place\")", "a cell of 8 bytes for a type of 4"},
        {take_wide_singleton, "term 2 (\"tally\")", "a cell of 8 bytes for a type of 12"},
        {send_wide, "term 3 (\"bell\")", "a cell of 8 bytes for a type of 12"},
        {command_narrow, "term 4 (\"note\")", "a cell of 8 bytes for a type of 4"},
        {accumulate_narrow, "term 5 (\"tally\")", "a cell of 8 bytes for a type of 4"},
        {name_no_term, "term 9", "no such term"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(table); i++) {
        deed = table[i].deed;
        assert_dies(run_given, match, "system \"it\"", table[i].term, table[i].says);
    }
    ls_system span = {.name = "it", .span = do_wide_span, .terms = LS_TERM_LIST(LS_WRITES(places))};
    assert_dies(run_given, &span, "system \"it\"", "\"place\"", "a type of 12");
    ls_system block = {
        .name = "it", .block = do_wide_block, .terms = LS_TERM_LIST(LS_READS(places))};
    assert_dies(run_given, &block, "system \"it\"", "\"place\"", "a type of 12");
}

/* After calls with the right size the cursor skips the checks of the term; the size must still be
 * checked. */
static void write_wide_at_last(ls_context *context, ls_entity entity)
{
    if (ls_entity_slot(entity) < 40)
        WRITE(place, context, PLACES, entity)->y++;
    else if (ls_entity_slot(entity) == 40)
        (void)WRITE(wide, context, PLACES, entity);
}

static void run_checked(void *systems)
{
    run(systems, harness_checker(), 0, 0);
}

static void test_typed_access_is_looked_at_each_time_when_checked(void **state)
{
    ls_system match[] = {{.name = "it", .mode = LS_SEQUENTIAL, .match = do_match, .terms = TERMS}};
    deed = write_wide_at_last;
    assert_dies(run_checked, match, "system \"it\"", "a type of 12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed_access_is_the_plain_one),
        cmocka_unit_test(test_typed_access_of_another_size_stops),
        cmocka_unit_test(test_typed_access_is_looked_at_each_time_when_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
