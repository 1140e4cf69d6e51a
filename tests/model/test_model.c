/* Sections 3 and 4 of the paper, case by case: the model does what the paper defines, and every
 * variant of the engine does the same. */
#include "tests/model/cases.h"

#include "tests/support/test.h"

#define OWN(op_, term_, ...)                                                                       \
    (struct instruction)                                                                           \
    {                                                                                              \
        .op = op_, .term = term_, .entity = E_MATCH, __VA_ARGS__                                   \
    }

/* Adds a system that sets the component to 0, so that counts start from 0 in every tick. */
static void add_clearing(struct program *program, uint8_t component)
{
    program_system *system = case_add_system(program, true);
    uint8_t term = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, component, 0);
    case_add(system, (struct instruction){.op = OP_CONST, .c = 0, .imm = 0});
    case_add(system, OWN(OP_STORE, term, .a = 0));
}

/* Adds instructions that increment the own entity's number by 1. */
static void add_counting(program_system *system, uint8_t term)
{
    case_add(system, OWN(OP_LOAD, term, .c = 0));
    case_add(system, (struct instruction){.op = OP_CONST, .c = 1, .imm = 1});
    case_add(system, (struct instruction){.op = OP_ARITH, .a = 0, .b = 1, .c = 0, .imm = 0});
    case_add(system, OWN(OP_STORE, term, .a = 0));
}

TEST(test_roll_does_not_visit_newborns)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 3, 1 << CASE_A);
    program_system *system = case_add_system(&program, false);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 0);
    uint8_t born = case_add_term(system, LS_SPAWNED, LS_ACCESS_STRUCTURE, CASE_A, 0);
    system->lanes[system->lane_count++] = 2;
    case_add(system, (struct instruction){.op = OP_SPAWN, .entity = E_NEWBORN, .imm = 0});
    case_add(system,
             (struct instruction){.op = OP_ATTACH, .term = born, .entity = E_NEWBORN, .imm = 1});
    on_model model;
    program.ticks = 3;
    case_run(&program, &model);
    assert_int_equal(model.state.maps[CASE_A].count, 24);
    on_model_end(&model);
}

TEST(test_roll_drops_matches_that_are_lost)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 2, 1 << CASE_B);
    case_add_group(&program, 2, 3, 1 << CASE_A);
    add_clearing(&program, CASE_B);
    program_system *system = case_add_system(&program, false);
    uint8_t count = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_B, 0);
    uint8_t lost = case_add_term(system, LS_INCLUDE, LS_ACCESS_STRUCTURE, CASE_A, 1);
    add_counting(system, count);
    case_add(system, (struct instruction){.op = OP_DETACH, .term = lost, .entity = E_MATCH + 1});
    on_model model;
    case_run(&program, &model);
    assert_int_equal(case_number(&model, CASE_B, 0), 3);
    assert_int_equal(case_number(&model, CASE_B, 1), 0);
    assert_int_equal(model.state.maps[CASE_A].count, 0);
    on_model_end(&model);
}

TEST(test_roll_does_not_visit_matches_that_are_gained)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 3, 1 << CASE_A | 1 << CASE_B);
    case_add_group(&program, 2, 4, 1 << CASE_T);
    add_clearing(&program, CASE_B);
    program_system *spread = case_add_system(&program, false); /* attaches A to all that have T */
    case_add_term(spread, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 0);
    case_add_term(spread, LS_INCLUDE, LS_ACCESS_PRESENCE, CASE_T, 1);
    uint8_t a = case_add_term(spread, LS_OTHERS, LS_ACCESS_STRUCTURE, CASE_A, 0);
    uint8_t b = case_add_term(spread, LS_OTHERS, LS_ACCESS_STRUCTURE, CASE_B, 0);
    case_add(spread, (struct instruction){.op = OP_ATTACH, .term = a, .entity = E_MATCH + 1});
    case_add(spread, (struct instruction){.op = OP_LOAD, .term = b, .entity = E_MATCH, .c = 0});
    case_add(spread, (struct instruction){.op = OP_CONST, .c = 1, .imm = 1});
    case_add(spread, (struct instruction){.op = OP_ARITH, .a = 0, .b = 1, .c = 0, .imm = 0});
    case_add(spread,
             (struct instruction){.op = OP_ATTACH, .term = b, .entity = E_MATCH, .a = 0, .imm = 1});
    on_model model;
    case_run(&program, &model);
    assert_int_equal(model.state.maps[CASE_A].count, 7);
    assert_int_equal(model.state.maps[CASE_B].count, 3); /* no entity that gained A was visited */
    on_model_end(&model);
}

TEST(test_roll_fetches_values_anew)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 5, 1 << CASE_A);
    program_system *clear = case_add_system(&program, false);
    uint8_t cleared = case_add_term(clear, LS_OTHERS, LS_ACCESS_WRITE, CASE_S, 0);
    case_add(clear, (struct instruction){.op = OP_CONST, .c = 0, .imm = 0});
    case_add(clear, (struct instruction){.op = OP_STORE, .term = cleared, .entity = E_NULL});
    program_system *system = case_add_system(&program, false);
    uint8_t own = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_A, 0);
    uint8_t total = case_add_term(system, LS_OTHERS, LS_ACCESS_WRITE, CASE_S, 0);
    add_counting(system, total);
    case_add(system, OWN(OP_STORE, own, .a = 0));
    on_model model;
    case_run(&program, &model);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(case_number(&model, CASE_A, i), i + 1);
    on_model_end(&model);
}

TEST(test_roll_leaves_out_what_it_despawned)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 2, 1 << CASE_B);
    case_add_group(&program, 2, 3, 1 << CASE_A);
    add_clearing(&program, CASE_B);
    program_system *system = case_add_system(&program, false);
    uint8_t count = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_B, 0);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 1);
    add_counting(system, count);
    case_add(system, (struct instruction){.op = OP_DESPAWN, .entity = E_MATCH + 1});
    program_system *later =
        case_add_system(&program, true); /* other systems still see marked entities as alive */
    uint8_t seen = case_add_term(later, LS_OPTIONAL, LS_ACCESS_STRUCTURE, CASE_T, 0);
    case_add_term(later, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 0);
    uint8_t event = case_add_term(later, LS_EVENTS, LS_ACCESS_WRITE, CASE_V, 0);
    case_add(later, OWN(OP_ATTACH, seen));
    case_add(later, OWN(OP_SEND, event, .a = 1));
    program_system *last = case_add_system(&program, false);
    uint8_t received = case_add_term(last, LS_EVENTS, LS_ACCESS_READ, CASE_V, 0);
    uint8_t sum = case_add_term(last, LS_OTHERS, LS_ACCESS_WRITE, CASE_S, 0);
    case_add(last,
             (struct instruction){
                 .op = OP_RECEIVE, .term = received, .entity = E_NULL, .to = E_LOADED, .c = 0});
    case_add(last, (struct instruction){.op = OP_STORE, .term = sum, .entity = E_NULL, .a = 0});
    on_model model;
    case_run(&program, &model);
    assert_int_equal(case_number(&model, CASE_B, 0), 3);
    assert_int_equal(case_number(&model, CASE_B, 1), 0);
    assert_int_equal(model_live_count(&model.state), 2);
    uint32_t expected = 0; /* three events, each folded as 7 and then its number 2 */
    for (uint32_t i = 0; i < 3; i++)
        expected = (expected * 31 + 7) * 31 + 2;
    assert_int_equal(case_number(&model, CASE_S, 0), expected);
    on_model_end(&model);
}

TEST(test_concurrent_vector_visits_one_own_entity_in_a_row)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 600, 1 << CASE_B);
    case_add_group(&program, 2, 4, 1 << CASE_A);
    add_clearing(&program, CASE_B);
    program_system *system = case_add_system(&program, true);
    uint8_t own = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_B, 0);
    uint8_t other = case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 1);
    case_add(system, OWN(OP_LOAD, own, .c = 0));
    case_add(system, (struct instruction){.op = OP_CONST, .c = 1, .imm = 31});
    case_add(system, (struct instruction){.op = OP_ARITH, .a = 0, .b = 1, .c = 0, .imm = 2});
    case_add(system,
             (struct instruction){.op = OP_LOAD, .term = other, .entity = E_MATCH + 1, .c = 2});
    case_add(system, (struct instruction){.op = OP_ARITH, .a = 0, .b = 2, .c = 0, .imm = 0});
    case_add(system, OWN(OP_STORE, own, .a = 0));
    on_model model;
    case_run(&program, &model);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 4; i++)
        expected = expected * 31 + case_number(&model, CASE_A, i);
    for (uint32_t i = 0; i < 600; i++)
        assert_int_equal(case_number(&model, CASE_B, i), expected);
    on_model_end(&model);
}

TEST(test_commands_come_before_deaths)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 300, 1 << CASE_A);
    program_system *system = case_add_system(&program, true);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 0);
    uint8_t command = case_add_term(system, LS_COMMANDS, LS_ACCESS_STRUCTURE, CASE_T, 0);
    system->command_lanes[system->command_lane_count++] = 1;
    case_add(system, (struct instruction){.op = OP_DESPAWN, .entity = E_MATCH});
    case_add(system, OWN(OP_COMMAND_ATTACH, command));
    case_add(system, (struct instruction){.op = OP_COMMAND_SPAWN, .entity = E_COMMANDED});
    case_add(system,
             (struct instruction){.op = OP_COMMAND_ATTACH, .term = command, .entity = E_COMMANDED});
    on_model model;
    case_run(&program, &model);
    assert_int_equal(model.state.dropped_commands,
                     0); /* despawned entities are still alive when commands run */
    assert_int_equal(model.state.maps[CASE_T].count, 300);
    /* Commands run before slots are freed, so spawned entities get slots after the despawned
     * ones. */
    assert_int_equal(ls_entity_slot(model.state.maps[CASE_T].cells[0].entity), 300);
    on_model_end(&model);
}

TEST(test_commands_on_the_dead_are_dropped_and_counted)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 4, 1 << CASE_E);
    program_system *system = case_add_system(&program, true);
    uint8_t command = case_add_term(system, LS_COMMANDS, LS_ACCESS_STRUCTURE, CASE_T, 0);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_E, 0);
    case_add(system,
             (struct instruction){.op = OP_COMMAND_DETACH, .term = command, .entity = E_NULL});
    case_add(system,
             (struct instruction){.op = OP_COMMAND_ATTACH, .term = command, .entity = E_NULL});
    case_add(system, OWN(OP_COMMAND_DETACH,
                         command)); /* not dropped: the entity is alive, though without T */
    on_model model;
    program.ticks = 2;
    case_run(&program, &model);
    assert_int_equal(model.state.dropped_commands, 16);
    assert_int_equal(model.state.maps[CASE_T].count, 0);
    on_model_end(&model);
}

TEST(test_stored_pending_handles_become_the_newborns)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 600, 1 << CASE_E);
    program_system *system = case_add_system(&program, true);
    uint8_t own = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_E, 0);
    uint8_t born = case_add_term(system, LS_SPAWNED, LS_ACCESS_STRUCTURE, CASE_A, 0);
    uint8_t tagged = case_add_term(system, LS_COMMANDS, LS_ACCESS_STRUCTURE, CASE_T, 0);
    system->lanes[system->lane_count++] = 2;
    case_add(system, (struct instruction){.op = OP_SPAWN, .entity = E_NEWBORN, .imm = 0});
    case_add(system, OWN(OP_POINT, own, .to = E_NEWBORN));
    case_add(system, (struct instruction){.op = OP_ATTACH, .term = born, .entity = E_NEWBORN});
    case_add(system,
             (struct instruction){.op = OP_COMMAND_ATTACH, .term = tagged, .entity = E_NEWBORN});
    program_system *after = case_add_system(&program, true);
    uint8_t reference = case_add_term(after, LS_INCLUDE, LS_ACCESS_READ, CASE_E, 0);
    uint8_t added = case_add_term(after, LS_ACCUMULATED, LS_ADD, CASE_A, 0);
    case_add(after, OWN(OP_FOLLOW, reference, .to = E_LOADED));
    case_add(after, (struct instruction){
                        .op = OP_ACCUMULATE, .term = added, .entity = E_LOADED, .a = 0, .imm = 6});
    on_model model;
    case_run(&program, &model);
    assert_int_equal(model.state.maps[CASE_A].count, 600);
    assert_int_equal(model.state.maps[CASE_T].count, 600);
    for (uint32_t i = 0; i < 600; i++) {
        ls_entity named;
        memcpy(&named, model.state.maps[CASE_E].cells[i].value, sizeof named);
        assert_true(named == model.state.maps[CASE_A].cells[i].entity);
        assert_int_equal(case_number(&model, CASE_A, i), 7);
    }
    on_model_end(&model);
}

TEST(test_events_bring_the_newborns)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 600, 1 << CASE_A);
    program_system *system = case_add_system(&program, true);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_A, 0);
    uint8_t sent = case_add_term(system, LS_EVENTS, LS_ACCESS_WRITE, CASE_W, 0);
    system->lanes[system->lane_count++] = 2;
    case_add(system, (struct instruction){.op = OP_SPAWN, .entity = E_NEWBORN});
    case_add(system, OWN(OP_SEND, sent, .to = E_NEWBORN));
    program_system *after = case_add_system(&program, false);
    uint8_t received = case_add_term(after, LS_EVENTS, LS_ACCESS_READ, CASE_W, 0);
    uint8_t tag = case_add_term(after, LS_OTHERS, LS_ACCESS_STRUCTURE, CASE_T, 0);
    case_add(after, OWN(OP_RECEIVE, received, .to = E_LOADED));
    case_add(after, (struct instruction){.op = OP_ATTACH, .term = tag, .entity = E_LOADED});
    on_model model;
    case_run(&program, &model);
    assert_int_equal(model.state.maps[CASE_T].count, 1); /* the last new entity's */
    assert_true(model.state.maps[CASE_T].cells[0].entity == ls_entity_make(2, 599, 1));
    on_model_end(&model);
}

/* A concurrent system joins others by their key when the system began, even if it changes the
 * key. */
TEST(test_joins_at_the_start_do_not_see_what_others_do)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 50, 1 << CASE_A | 1 << CASE_E);
    case_add_group(&program, 2, 50, 1 << CASE_A | 1 << CASE_E);
    program_system *system = case_add_system(&program, true);
    uint8_t own = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_A, 0);
    uint8_t first = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_E, 0);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_PRESENCE, CASE_A, 1);
    system->joins[system->join_count++] = (program_join){
        .query = 1, .component = CASE_A, .has_from = true, .from = CASE_A, .start = true};
    case_add(system, OWN(OP_POINT, first, .to = E_MATCH + 1));
    case_add(system, (struct instruction){.op = OP_CONST, .c = 0, .imm = 1000});
    case_add(system, OWN(OP_STORE, own, .a = 0));
    on_model model;
    case_run(&program, &model);
    /* Each entity has one match, with the first entity of the same key; afterwards its own key has
     * changed. */
    bool is_first_met = false;
    for (uint32_t i = 0; i < 100; i++) {
        ls_entity met, own_entity = model.state.maps[CASE_E].cells[i].entity;
        memcpy(&met, model.state.maps[CASE_E].cells[i].value, sizeof met);
        assert_true((uint32_t)met <= (uint32_t)own_entity);
        is_first_met |= met != own_entity;
        assert_int_equal(case_number(&model, CASE_A, i), 1000);
    }
    assert_true(is_first_met);
    on_model_end(&model);
}

/* Two references that became null must not match each other, although the roll fixed that match
 * before. */
TEST(test_roll_does_not_join_by_null)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 3, 1 << CASE_E | 1 << CASE_B);
    case_add_group(&program, 2, 2, 1 << CASE_T);
    add_clearing(&program, CASE_B);
    program_system *point = case_add_system(&program, false);
    uint8_t pointing = case_add_term(point, LS_INCLUDE, LS_ACCESS_WRITE, CASE_E, 0);
    case_add_term(point, LS_INCLUDE, LS_ACCESS_PRESENCE, CASE_T, 1);
    case_add(point, OWN(OP_POINT, pointing, .to = E_MATCH + 1));
    program_system *system = case_add_system(&program, false);
    uint8_t key = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_E, 0);
    uint8_t count = case_add_term(system, LS_INCLUDE, LS_ACCESS_WRITE, CASE_B, 0);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_PRESENCE, CASE_T, 1);
    case_add_term(system, LS_INCLUDE, LS_ACCESS_READ, CASE_E, 2);
    system->joins[system->join_count++] =
        (program_join){.query = 2, .component = CASE_E, .has_from = true, .from = CASE_E};
    case_add(system, OWN(OP_POINT, key, .to = E_NULL));
    add_counting(system, count);
    on_model model;
    case_run(&program, &model);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(case_number(&model, CASE_B, i), 1);
    on_model_end(&model);
}

/* A value accumulated into a cell that the same system detaches later is lost. */
TEST(test_accumulating_onto_what_the_system_detaches)
{
    struct program program = case_begin();
    case_add_group(&program, 1, 2, 1 << CASE_A);
    program_system *system = case_add_system(&program, false);
    uint8_t own = case_add_term(system, LS_INCLUDE, LS_ACCESS_STRUCTURE, CASE_A, 0);
    uint8_t added = case_add_term(system, LS_ACCUMULATED, LS_ADD, CASE_A, 0);
    case_add(system, OWN(OP_ACCUMULATE, added));
    case_add(system, OWN(OP_DETACH, own));
    on_model model;
    case_run(&program, &model);
    assert_int_equal(model.state.maps[CASE_A].count, 0);
    on_model_end(&model);
}
