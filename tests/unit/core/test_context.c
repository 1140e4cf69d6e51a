/* The calls that a running system may make, and the messages of the forbidden ones. */
#include "harness.h"

typedef struct number {
    int32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_I32)};
static const ls_component numbers = LS_COMPONENT_TABLE(number, "number", number_fields);
static const ls_component extras = LS_COMPONENT_TABLE(number, "extra", number_fields);
static const ls_component single = LS_SINGLETON_TABLE(number, "single", number_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&numbers, &extras, &single, &tag};
static const char *const lanes[] = {"b", "a"}; /* lanes are numbered by name, not by this order */

/* The bodies of the two systems, set by each test. */
static void (*act)(ls_context *context);
static void (*act_span)(ls_context *context, const ls_span *span);

static void run_act(ls_context *context, const ls_entity *entities)
{
    if (act)
        act(context);
}

static void run_act_span(ls_context *context, const ls_span *span)
{
    if (act_span)
        act_span(context, span);
}

static void populate(ls_context *context, const ls_entity *entities)
{
    assert_int_equal(ls_tick(context), 0);
    assert_int_equal(ls_inputs(context)->count, 0);
    for (int32_t i = 0; i < 300; i++) {
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, 0, entity, &(number){i});
        ls_cell_attach(context, 1, entity, &(number){-i});
        ls_cell_attach(context, 2, entity, NULL);
    }
    ((number *)ls_singleton_write(context, 3))->value = 17;
}

static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(numbers), LS_OTHERS_STRUCTURE(extras),
                          LS_OTHERS_STRUCTURE(tag), LS_OTHERS_WRITE(single)),
    .lanes = "b"};

enum { NUMBER, EXTRA, SINGLE, TAG, NONE };

static const ls_system systems[] = {
    {.name = "act",
     .mode = LS_SEQUENTIAL,
     .match = run_act,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(numbers), LS_OTHERS_READ(extras),
                           LS_OTHERS_WRITE(single), LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, tag)),
     .lanes = "b, a"},
    {.name = "each",
     .span = run_act_span,
     .terms = LS_TERM_LIST(LS_WRITES(numbers), LS_OTHERS_READ(extras), LS_OTHERS_READ(single),
                           LS_WITH(tag)),
     .after = "act"},
};

static bool takes_everything(const ls_match *match, uint32_t player, const uint8_t *bytes,
                             uint32_t count)
{
    return match->player_count > player && bytes && count > 0;
}

static int begin(void **state)
{
    static harness self;
    static ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    sim.input_is_valid = takes_everything;
    act = NULL;
    act_span = NULL;
    harness_begin(&self, &sim, 6);
    *state = &self;
    return 0;
}

static const ls_entity first = (ls_entity)1 << 32 | (ls_entity)2 << 24;

static void use_cells(ls_context *context)
{
    assert_int_equal(((const number *)ls_cell_find(context, NUMBER, first + 5))->value, 5);
    assert_int_equal(((const number *)ls_cell_find(context, EXTRA, first + 5))->value, -5);
    ((number *)ls_cell_write(context, NUMBER, first + 5))->value = 50;
    assert_true(ls_cell_has(context, TAG, first + 5));
    assert_true(ls_cell_detach(context, NUMBER, first + 6));
    assert_false(ls_cell_detach(context, NUMBER, first + 6));
    assert_false(ls_cell_has(context, NUMBER, first + 6));
    assert_null(ls_cell_find(context, NUMBER, first + 6));
    assert_null(ls_cell_write(context, NUMBER, first + 6));
    assert_true(ls_cell_attach(context, NUMBER, first + 6, NULL));
    assert_int_equal(((const number *)ls_cell_find(context, NUMBER, first + 6))->value, 0);
    assert_true(ls_cell_attach(context, NUMBER, first + 6, &(number){60}));
    ls_entity in_a = ls_spawn(context, 1), in_b = ls_spawn(context, 0);
    assert_int_equal(in_a, ls_entity_make(1, 0, 1));
    assert_int_equal(in_b, ls_entity_make(2, 300, 1));
    assert_true(ls_is_alive(context, in_a));
    assert_false(ls_cell_has(context, NUMBER, in_a));
    const ls_entity dead[] = {LS_ENTITY_NULL, first + ((ls_entity)2 << 32), first + 301,
                              UINT64_MAX};
    for (uint32_t i = 0; i < LS_COUNT_OF(dead); i++) {
        assert_false(ls_is_alive(context, dead[i]));
        assert_null(ls_cell_find(context, NUMBER, dead[i]));
        assert_null(ls_cell_write(context, NUMBER, dead[i]));
        assert_false(ls_cell_has(context, TAG, dead[i]));
        assert_false(ls_cell_attach(context, NUMBER, dead[i], NULL));
        assert_false(ls_cell_detach(context, NUMBER, dead[i]));
        ls_despawn(context, dead[i]);
    }
    act = NULL;
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_context_reaches_declared_cells)
{
    harness *self = *state;
    act = use_cells;
    harness_tick(self->world, NULL);
    assert_null(act);
    assert_int_equal(ls_world_entity_count(self->world), 302);
    assert_int_equal(((const number *)ls_world_cell(self->world, &numbers, first + 5))->value, 50);
    assert_int_equal(((const number *)ls_world_cell(self->world, &numbers, first + 6))->value, 60);
}

static void use_singleton(ls_context *context)
{
    const number *before = ls_singleton_read(context, SINGLE);
    assert_int_equal(before->value, 17);
    ((number *)ls_singleton_write(context, SINGLE))->value = 18;
    assert_int_equal(((const number *)ls_singleton_read(context, SINGLE))->value, 18);
    assert_null(ls_cell_find(context, SINGLE, ls_entity_make(0, 0, 1)));
    act = NULL;
}

TEST(test_context_reaches_singletons)
{
    harness *self = *state;
    assert_int_equal(((const number *)ls_world_singleton(self->world, &single))->value, 17);
    ls_snapshot *snapshot = ls_world_snapshot(self->world);
    act = use_singleton;
    harness_tick(self->world, NULL);
    assert_null(act);
    assert_int_equal(((const number *)ls_world_singleton(self->world, &single))->value, 18);
    ls_world_restore(self->world, snapshot);
    assert_int_equal(((const number *)ls_world_singleton(self->world, &single))->value, 17);
    ls_snapshot_destroy(snapshot);
}

static void use_span(ls_context *context, const ls_span *span)
{
    number *cells = ls_span_write(context, span, NUMBER);
    assert_ptr_equal(cells, ls_span_read(context, span, NUMBER));
    assert_null(ls_span_read(context, span, EXTRA)); /* a cell that this span does not have */
    assert_null(span->const_cells[TAG]);
    assert_int_equal(((const number *)ls_singleton_read(context, SINGLE))->value, 17);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity self = ls_span_entity(span, i);
        const number *other =
            ls_cell_find(context, EXTRA, first + (span->first_slot + i + 150) % 300);
        ((number *)ls_cell_write(context, NUMBER, self))->value += other->value;
        assert_true(ls_cell_has(context, TAG, self));
    }
}

TEST(test_context_concurrent_systems_read_others)
{
    harness *self = *state;
    act_span = use_span;
    harness_tick(self->world, NULL);
    for (int32_t i = 0; i < 300; i++) {
        const number *cell = ls_world_cell(self->world, &numbers, first + (uint32_t)i);
        assert_int_equal(cell->value, i - (i + 150) % 300);
    }
}

static void check_surroundings(ls_context *context)
{
    const ls_frame *frame = ls_inputs(context);
    assert_int_equal(ls_match_of(context)->seed, 6);
    assert_int_equal(ls_match_of(context)->player_count, 2);
    assert_int_equal(frame->tick, ls_tick(context));
    if (ls_tick(context) == 1) {
        assert_int_equal(frame->count, 2);
        assert_int_equal(frame->inputs[1].player, 1);
        assert_memory_equal(frame->inputs[1].data, "xyz", 3);
    }
    ls_random_key key = {.seed = 6,
                         .tick = ls_tick(context),
                         .system = ls_name_key("act"),
                         .entity = first,
                         .draw = 3};
    assert_int_equal(ls_random(context, first, 3), ls_random_u64(&key));
    assert_int_not_equal(ls_random(context, first, 3), ls_random(context, first, 4));
    assert_int_not_equal(ls_random(context, first, 3), ls_random(context, first + 1, 3));
}

TEST(test_context_tells_tick_match_inputs_and_chance)
{
    harness *self = *state;
    act = check_surroundings;
    harness_tick(self->world, NULL);
    const ls_input inputs[] = {{0, LS_JOIN, 0, NULL}, {1, LS_INPUT, 3, (const uint8_t *)"xyz"}};
    const ls_frame frame = {.tick = 1, .count = 2, .inputs = inputs};
    assert_int_equal(ls_world_advance(self->world, &frame, NULL, NULL), LS_OK);
    harness_tick(self->world, NULL);
}

static void look_at_lanes(ls_context *context, const ls_span *span)
{
    assert_int_equal(ls_lane_named(context, "world"), 0);
    assert_int_equal(ls_lane_named(context, "a"), 1);
    assert_int_equal(ls_lane_named(context, "b"), 2);
    assert_int_equal(span->lane, ls_lane_named(context, "b"));
    assert_int_equal(ls_entity_lane(ls_span_entity(span, 0)), span->lane);
}

TEST(test_context_numbers_lanes_by_name)
{
    harness *self = *state;
    act_span = look_at_lanes;
    harness_tick(self->world, NULL);
    const ls_program *program = ls_world_program(self->world);
    assert_int_equal(ls_program_find_lane(program, "b"), 2);
    assert_int_equal(ls_program_find_lane(program, "c"), LS_LANES_MAX);
}

/* Death tests: each message names the system, the component, the tick and the breach. */
typedef struct breach {
    harness *self;
    void (*act)(ls_context *context);
    void (*act_span)(ls_context *context, const ls_span *span);
} breach;

static void commit(void *argument)
{
    const breach *what = argument;
    act = what->act;
    act_span = what->act_span;
    harness_tick(what->self->world, NULL);
}

static void name_no_lane(ls_context *context)
{
    (void)ls_lane_named(context, "c");
}

static void write_read_only(ls_context *context)
{
    ls_cell_write(context, EXTRA, first);
}

static void attach_read_only(ls_context *context)
{
    ls_cell_attach(context, EXTRA, first, NULL);
}

static void detach_singleton(ls_context *context)
{
    ls_cell_detach(context, SINGLE, first);
}

static void find_presence_only(ls_context *context)
{
    ls_cell_find(context, TAG, first);
}

static void name_no_term(ls_context *context)
{
    ls_cell_has(context, NONE, first);
}

static void name_any_term(ls_context *context)
{
    ls_cell_find(context, UINT32_MAX, first);
}

static void take_column_as_singleton(ls_context *context)
{
    ls_singleton_read(context, NUMBER);
}

static void spawn_elsewhere(ls_context *context)
{
    ls_spawn(context, 2);
}

static void walk_no_grid(ls_context *context)
{
    ls_grid_walk walk;
    ls_grid_begin(context, 0, 0, 0, 0, &walk);
}

static void span_write_presence(ls_context *context, const ls_span *span)
{
    ls_span_write(context, span, TAG);
}

static void span_write_others(ls_context *context, const ls_span *span)
{
    ls_span_write(context, span, EXTRA);
}

static void span_read_presence(ls_context *context, const ls_span *span)
{
    ls_span_read(context, span, TAG);
}

static void span_name_no_term(ls_context *context, const ls_span *span)
{
    ls_span_read(context, span, NONE);
}

static void span_attach(ls_context *context, const ls_span *span)
{
    ls_cell_attach(context, NUMBER, ls_span_entity(span, 0), NULL);
}

static void span_reach_other(ls_context *context, const ls_span *span)
{
    ls_cell_write(context, NUMBER, first + (span->first_slot + 256) % 512);
}

static void span_reach_other_lane(ls_context *context, const ls_span *span)
{
    ls_cell_has(context, NUMBER, ls_entity_make(1, 0, 1));
}

static void span_write_singleton(ls_context *context, const ls_span *span)
{
    ls_singleton_write(context, SINGLE);
}

static void span_take_scratch(ls_context *context, const ls_span *span)
{
    (void)ls_scratch_memory(context);
}

static void span_spawn(ls_context *context, const ls_span *span)
{
    ls_spawn(context, 0);
}

TEST(test_context_stops_access_beyond_declaration)
{
    static const struct {
        void (*act)(ls_context *context);
        void (*act_span)(ls_context *context, const ls_span *span);
        const char *component, *why;
    } cases[] = {
        {write_read_only, NULL, "\"extra\"", "beyond the access"},
        {attach_read_only, NULL, "\"extra\"", "beyond the access"},
        {detach_singleton, NULL, "\"single\"", "beyond the access"},
        {find_presence_only, NULL, "\"tag\"", "beyond the access"},
        {name_no_term, NULL, "term 4", "no such term"},
        {name_any_term, NULL, "term 4294967295", "no such term"},
        {take_column_as_singleton, NULL, "\"number\"", "no singleton"},
        {spawn_elsewhere, NULL, "tick 0",
         "lane 2 (counted from 0) of its .lanes, which lists only 2"},
        {walk_no_grid, NULL, "tick 0", "grid that it does not list"},
        {name_no_lane, NULL, "tick 0", "a lane that the simulation lacks"},
        {NULL, span_write_presence, "\"tag\"", "beyond the access"},
        {NULL, span_write_others, "\"extra\"", "beyond the access"},
        {NULL, span_read_presence, "\"tag\"", "beyond the access"},
        {NULL, span_name_no_term, "term 4", "no such term"},
        {NULL, span_attach, "\"number\"", "beyond the access"},
        {NULL, span_reach_other, "\"number\"", "another entity than its own"},
        {NULL, span_reach_other_lane, "\"number\"", "another entity than its own"},
        {NULL, span_write_singleton, "\"single\"", "beyond the access"},
        {NULL, span_spawn, "tick 0", "lane 0 (counted from 0) of its .lanes, which lists only 0"},
        {NULL, span_take_scratch, "tick 0", "declares no scratch_bytes"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        breach what = {*state, cases[i].act, cases[i].act_span};
        assert_dies(commit, &what, cases[i].act ? "system \"act\"" : "system \"each\"",
                    cases[i].component, cases[i].why);
    }
}
