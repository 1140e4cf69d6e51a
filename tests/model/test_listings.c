/* The paper's listings 2-3 and 6-7 with their output, and the mutations of its table 2. */
#include "tests/model/cases.h"
#include "tests/model/invocation.h"

#include "sims/disjoint/disjoint.h"
#include "sims/toyphys/toyphys.h"

#include "tests/support/test.h"
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

static int32_t number_of(const model_invocation *invocation, uint32_t component, ls_entity entity)
{
    int32_t number;
    memcpy(&number, model_read(invocation, component, entity), sizeof number);
    return number;
}

static void attach_number(model_invocation *invocation, uint32_t component, ls_entity entity,
                          int32_t number)
{
    uint8_t value[MODEL_CELL_BYTES] = {0};
    memcpy(value, &number, sizeof number);
    model_attach(invocation, component, entity, value);
}

static const ls_field number_fields[] = {{.name = "n", .type = LS_TYPE_I32, .bytes = 4}};
static const ls_component pos = {"Pos", 4, 1, number_fields, false, false};
static const ls_component vel = {"Vel", 4, 1, number_fields, false, false};
static const ls_component int_component = {"Int", 4, 1, number_fields, false, false};

enum { POS, VEL, INT = 0 };

/* Listing 2. */
static void inertia(model_invocation *invocation, const ls_entity *entities)
{
    attach_number(invocation, POS, entities[0],
                  number_of(invocation, POS, entities[0]) +
                      number_of(invocation, VEL, entities[0]));
}

static void collide(model_invocation *invocation, const ls_entity *entities)
{
    ls_entity j = entities[0], h = entities[1];
    int32_t at = number_of(invocation, POS, j), speed = number_of(invocation, VEL, j);
    if (at != number_of(invocation, POS, h))
        return;
    model_detach(invocation, POS, j);
    model_detach(invocation, VEL, j);
    attach_number(invocation, VEL, h, speed / 2);
    ls_entity newborn = model_new(invocation, 1);
    attach_number(invocation, POS, newborn, at);
    attach_number(invocation, VEL, newborn, speed / -2);
}

static void start_bodies(model_invocation *invocation, const ls_entity *entities)
{
    ls_entity first = model_new(invocation, 1);
    attach_number(invocation, POS, first, 1);
    attach_number(invocation, VEL, first, 6);
    attach_number(invocation, POS, model_new(invocation, 1), 7);
    ls_entity last = model_new(invocation, 1);
    attach_number(invocation, POS, last, 9);
    attach_number(invocation, VEL, last, -2);
}

static const model_system inertia_system = {
    "inertia", true, 1, {{2, {{LS_INCLUDE, POS}, {LS_INCLUDE, VEL}}}}, inertia, NULL};
static const model_system collide_system = {
    "collide",
    false,
    2,
    {{2, {{LS_INCLUDE, POS}, {LS_INCLUDE, VEL}}}, {2, {{LS_INCLUDE, POS}, {LS_EXCLUDE, VEL}}}},
    collide,
    NULL};
static const model_system start_bodies_system = {"start",         false,        0,
                                                 {{0, {{0, 0}}}}, start_bodies, NULL};

static void advance(model_state *state, const model_schedule *schedule)
{
    uint64_t budget = 1000;
    assert_true(model_advance(state, schedule, &budget));
}

static void start(model_state *state, const model_schema *schema, const model_system *system)
{
    const model_schedule schedule = {MODEL_SEQ, system, NULL, NULL};
    model_init(state, schema, 1);
    advance(state, &schedule);
}

/* Runs the listings' loop and compares each printed state with a line; the last ends with END. */
static void assert_prints(model_state *state, const model_schedule *schedule, bool is_bare,
                          const char *const *lines)
{
    for (uint32_t i = 0; i < 3; i++) {
        char line[512];
        char *text = model_print(state, is_bare);
        snprintf(line, sizeof line, "%s%s", text, i == 2 ? " END" : "");
        ls_free(text);
        assert_string_equal(line, lines[i]);
        advance(state, schedule);
    }
    model_reset(state);
}

static const char *const listing_3[] = {
    "Pos→{e0 ↦ Pos 1, e1 ↦ Pos 7, e2 ↦ Pos 9} :+ Vel→{e0 ↦ Vel 6, e2 ↦ Vel (-2)} :+ "
    "Metadata {nextFresh = e3}",
    "Pos→{e1 ↦ Pos 7, e2 ↦ Pos 7, e3 ↦ Pos 7} :+ Vel→{e1 ↦ Vel 3, e2 ↦ Vel (-2), e3 ↦ "
    "Vel (-3)} :+ Metadata {nextFresh = e4}",
    "Pos→{e1 ↦ Pos 10, e2 ↦ Pos 5, e3 ↦ Pos 4} :+ Vel→{e1 ↦ Vel 3, e2 ↦ Vel (-2), e3 ↦ "
    "Vel (-3)} :+ Metadata {nextFresh = e4} END",
};

TEST(test_listing_3_is_printed_by_the_model)
{
    const ls_component *const components[] = {&pos, &vel};
    const model_schema schema = {2, components, 2};
    const model_schedule first = {MODEL_CONC, &inertia_system, NULL, NULL};
    const model_schedule second = {MODEL_SEQ, &collide_system, NULL, NULL};
    const model_schedule schedule = {MODEL_THEN, NULL, &first, &second};
    model_state self;
    start(&self, &schema, &start_bodies_system);
    assert_prints(&self, &schedule, false, listing_3);
}

static ls_world *make_world(const ls_sim *sim, ls_program **program)
{
    ls_error error = {""};
    ls_world *world;
    if (ls_program_create(sim, program, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_match match = ls_program_match(*program, 1);
    assert_ok(ls_world_create(*program, &match, &world, &error));
    return world;
}

static void assert_world_prints(const ls_sim *sim, const char *const *lines)
{
    ls_program *program;
    ls_world *world = make_world(sim, &program);
    for (uint32_t i = 0; i < 3; i++) {
        char line[512];
        char *text = ls_world_print(world);
        snprintf(line, sizeof line, "%s%s", text, i == 2 ? " END" : "");
        ls_free(text);
        assert_string_equal(line, lines[i]);
        const ls_frame frame = {.tick = i};
        assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    }
    ls_world_destroy(world);
    ls_program_destroy(program);
}

TEST(test_listing_3_is_printed_by_the_engine)
{
    assert_world_prints(&ls_toyphys_sim, listing_3);
}

/* Listing 6: one function used twice, with bound and direction as constants. */
typedef struct adjustment {
    int32_t bound;
    bool is_increment;
} adjustment;

static void adjust(model_invocation *invocation, const ls_entity *entities)
{
    const adjustment *given = invocation->system->data;
    int32_t n = number_of(invocation, INT, entities[0]);
    if (given->is_increment && n < given->bound)
        attach_number(invocation, INT, entities[0], n + 1);
    if (!given->is_increment && n >= given->bound)
        attach_number(invocation, INT, entities[0], n - 1);
}

static void start_numbers(model_invocation *invocation, const ls_entity *entities)
{
    attach_number(invocation, INT, model_new(invocation, 1), 3);
    attach_number(invocation, INT, model_new(invocation, 1), 8);
}

static const adjustment up = {4, true}, down = {4, false};
static const model_system increment_system = {"increment", true, 1, {{1, {{LS_INCLUDE, INT}}}},
                                              adjust,      &up};
static const model_system decrement_system = {"decrement", true, 1, {{1, {{LS_INCLUDE, INT}}}},
                                              adjust,      &down};
static const model_system start_numbers_system = {"start",         false,         0,
                                                  {{0, {{0, 0}}}}, start_numbers, NULL};

TEST(test_listing_7_is_printed_by_the_model)
{
    static const char *const listing_7[] = {
        "Int→{e0 ↦ 3, e1 ↦ 8} :+ Metadata {nextFresh = e2}",
        "Int→{e0 ↦ 4, e1 ↦ 7} :+ Metadata {nextFresh = e2}",
        "Int→{e0 ↦ 3, e1 ↦ 6} :+ Metadata {nextFresh = e2} END",
    };
    const ls_component *const components[] = {&int_component};
    const model_schema schema = {1, components, 2};
    const model_schedule first = {MODEL_CONC, &increment_system, NULL, NULL};
    const model_schedule second = {MODEL_CONC, &decrement_system, NULL, NULL};
    const model_schedule orders[] = {{MODEL_PAR, NULL, &first, &second},
                                     {MODEL_PAR, NULL, &second, &first}};
    for (uint32_t i = 0; i < 2; i++) {
        model_state self;
        start(&self, &schema, &start_numbers_system);
        assert_prints(&self, &orders[i], true, listing_7);
    }
    /* Composed by ; the result differs: 3 becomes 4 and then 3 again. */
    const model_schedule then = {MODEL_THEN, NULL, &first, &second};
    model_state self;
    start(&self, &schema, &start_numbers_system);
    advance(&self, &then);
    assert_int_equal(model_find(&self, INT, ls_entity_make(1, 0, 1))[0], 3);
    model_reset(&self);
}

/* In the engine one concurrent system visits all matches, and compares each with the bound. */
static void adjust_span(ls_context *context, const ls_span *span)
{
    const adjustment *given = ls_system_data(context);
    int32_t *n = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        n[i] += n[i] < given->bound ? 1 : -1;
}

/* The listing's two systems, each for one direction: they conflict, so they need an order. */
static void adjust_one_way(ls_context *context, const ls_span *span)
{
    const adjustment *given = ls_system_data(context);
    int32_t *n = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        if (given->is_increment && n[i] < given->bound)
            n[i]++;
        if (!given->is_increment && n[i] >= given->bound)
            n[i]--;
    }
}

static void start_engine_numbers(ls_context *context, const ls_entity *entities)
{
    ls_cell_attach(context, 0, ls_spawn(context, 0), &(int32_t){3});
    ls_cell_attach(context, 0, ls_spawn(context, 0), &(int32_t){8});
}

static const ls_system engine_start = {.name = "start",
                                       .mode = LS_SEQUENTIAL,
                                       .match = start_engine_numbers,
                                       .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(int_component)),
                                       .lanes = "numbers"};

static ls_sim disjoint_sim(const ls_system *systems, uint32_t count)
{
    static const ls_component *const components[] = {&int_component};
    static const char *const lanes[] = {"numbers"};
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "disjoint",
                    .version = "1",
                    .tick_rate = 1,
                    .player_count = 1,
                    .components = components,
                    .component_count = 1,
                    .lanes = lanes,
                    .lane_count = 1,
                    .systems = systems,
                    .system_count = count,
                    .setup = &engine_start};
}

/* The engine prints the component's name; the paper's type is a bare Int. */
static const char *const engine_listing_7[] = {
    "Int→{e0 ↦ Int 3, e1 ↦ Int 8} :+ Metadata {nextFresh = e2}",
    "Int→{e0 ↦ Int 4, e1 ↦ Int 7} :+ Metadata {nextFresh = e2}",
    "Int→{e0 ↦ Int 3, e1 ↦ Int 6} :+ Metadata {nextFresh = e2} END",
};

TEST(test_listing_7_is_printed_by_the_engine)
{
    const ls_system systems[] = {{.name = "adjust",
                                  .mode = LS_CONCURRENT,
                                  .span = adjust_span,
                                  .data = &up,
                                  .terms = LS_TERM_LIST(LS_WRITES(int_component))}};
    ls_sim sim = disjoint_sim(systems, 1);
    assert_world_prints(&sim, engine_listing_7);
}

static const ls_system two_ways[] = {{.name = "increment",
                                      .mode = LS_CONCURRENT,
                                      .span = adjust_one_way,
                                      .data = &up,
                                      .terms = LS_TERM_LIST(LS_WRITES(int_component))},
                                     {.name = "decrement",
                                      .mode = LS_CONCURRENT,
                                      .span = adjust_one_way,
                                      .data = &down,
                                      .terms = LS_TERM_LIST(LS_WRITES(int_component))}};

/* `Conc increment :| Conc decrement`, as in the paper. */
static const ls_algebra schedules[] = {LS_PAR(LS_CONC("increment"), LS_CONC("decrement")),
                                       LS_PAR(LS_CONC("decrement"), LS_CONC("increment"))};

TEST(test_listing_7_is_printed_by_the_algebra)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(schedules); i++) {
        ls_sim sim = disjoint_sim(two_ways, 2);
        sim.schedule = &schedules[i];
        assert_world_prints(&sim, engine_listing_7);
    }
    assert_world_prints(&ls_disjoint_sim, engine_listing_7);
}

TEST(test_listing_6_needs_an_order_in_the_engine)
{
    ls_system systems[] = {two_ways[0], two_ways[1]};
    ls_sim sim = disjoint_sim(systems, 2);
    ls_error error = {""};
    ls_program *program;
    assert_int_equal(ls_program_create(&sim, &program, &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "\"increment\""));
    assert_non_null(strstr(error.text, "\"decrement\""));
    assert_non_null(strstr(error.text, "writes \"Int\""));
    systems[1].after = "increment";
    assert_ok(ls_program_create(&sim, &program, &error));
    ls_program_destroy(program);
}

/* Table 2: runs each category as a concurrent system in a world of several pages. Half of the
 * entities have A (the table's Pos), a third B (its Vel). */
typedef struct category {
    const char *name;
    ls_match_kind queried; /* how the query uses A */
    ls_match_kind used;    /* the operation's term: the query's own, or LS_SPAWNED */
    uint8_t component, op;
} category;

static const category table_2[] = {
    {"owned update", LS_INCLUDE, LS_INCLUDE, CASE_A, OP_ATTACH},
    {"owned insert", LS_EXCLUDE, LS_OPTIONAL, CASE_A, OP_ATTACH},
    {"owned initialize", LS_OPTIONAL, LS_SPAWNED, CASE_A, OP_ATTACH},
    {"owned delete", LS_INCLUDE, LS_INCLUDE, CASE_A, OP_DETACH},
    {"deferred update, insert", LS_OPTIONAL, LS_OPTIONAL, CASE_B, OP_ATTACH},
    {"deferred initialize", LS_OPTIONAL, LS_SPAWNED, CASE_B, OP_ATTACH},
    {"deferred delete", LS_OPTIONAL, LS_OPTIONAL, CASE_B, OP_DETACH},
};

static struct program make_category(const category *given)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 700, 1 << CASE_A | 1 << CASE_B);
    program.groups[0].density[CASE_A] = 50;
    program.groups[0].density[CASE_B] = 33;
    program_system *system = case_add_system(&program, true);
    case_add_term(system, given->queried, LS_ACCESS_PRESENCE, CASE_A, 0);
    uint8_t term = case_add_term(system, given->used, LS_ACCESS_STRUCTURE, given->component, 0);
    uint8_t target = E_MATCH;
    if (given->used == LS_SPAWNED) {
        target = E_NEWBORN;
        system->lanes[system->lane_count++] = 2;
        case_add(system, (struct instruction){.op = OP_SPAWN, .entity = E_NEWBORN});
    }
    case_add(system,
             (struct instruction){.op = given->op, .term = term, .entity = target, .imm = 41});
    return program;
}

static uint32_t expected_count(const category *given, uint32_t before)
{
    if (given->op == OP_DETACH)
        return 0;
    return given->used == LS_SPAWNED ? before + 700 : given->queried == LS_INCLUDE ? before : 700;
}

TEST(test_table_2_runs_in_concurrent_systems)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(table_2); i++) {
        struct program program = make_category(&table_2[i]);
        on_model model;
        on_model_begin(&model, &program);
        const model_map *map = &model.state.maps[table_2[i].component];
        uint32_t before = map->count;
        assert_in_range(before, 150, 450);
        on_model_end(&model);
        print_message("%s\n", table_2[i].name);
        case_run(&program, &model);
        map = &model.state.maps[table_2[i].component];
        assert_int_equal(map->count, expected_count(&table_2[i], before));
        bool is_update = table_2[i].queried != LS_EXCLUDE && table_2[i].used != LS_SPAWNED;
        for (uint32_t j = 0; is_update && j < map->count; j++)
            assert_int_equal(case_number(&model, table_2[i].component, j), 42);
        on_model_end(&model);
    }
}
