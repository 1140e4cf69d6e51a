/* Tests the checker: planted faults are detected, named and shrunk. */
#include "tests/model/cases.h"
#include "tests/model/check.h"
#include "tests/model/compare.h"
#include "tests/model/invocation.h"
#include "tests/model/on_engine.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test.h"

struct pair {
    struct program program;
    on_model model;
    on_engine engine;
    ls_program *made;
    ls_world *world;
};

static void begin_pair(struct pair *pair)
{
    pair->program = case_begin();
    case_add_group(&pair->program, 1, 300, 1 << CASE_A | 1 << CASE_T);
    on_model_begin(&pair->model, &pair->program);
    on_engine_make(&pair->engine, &pair->program, 0);
    assert_ok(ls_program_create(&pair->engine.sim, &pair->made, NULL));
    ls_match match = ls_program_match(pair->made, pair->program.seed);
    assert_ok(ls_world_create(pair->made, &match, &pair->world, NULL));
}

static void end_pair(struct pair *pair)
{
    ls_world_destroy(pair->world);
    ls_program_destroy(pair->made);
    on_model_end(&pair->model);
}

static void change_value(model_state *state)
{
    state->maps[CASE_A].cells[277].value[1] ^= 0x40;
}

static void change_singleton(model_state *state)
{
    state->maps[CASE_S].cells[0].value[0]++;
}

static void lose_tag(model_state *state)
{
    state->maps[CASE_T].count--;
}

static void add_tag(model_state *state)
{
    model_map *map = &state->maps[CASE_T];
    memmove(map->cells + 7, map->cells + 8, sizeof *map->cells * (map->count - 8));
    map->count--;
}

static void give_birth(model_state *state)
{
    model_step step = {.kind = MODEL_NEW, .entity = model_fresh(state, 2, 0)};
    model_apply(state, &(model_mutation){.steps = &step, .count = 1});
}

static void age(model_state *state)
{
    state->lanes[1].generations[5] += 2;
}

static void drop_command(model_state *state)
{
    state->dropped_commands++;
}

TEST(test_compare_names_the_first_difference)
{
    static const struct {
        void (*change)(model_state *state);
        const char *words[3];
    } faults[] = {
        {change_value, {"component A", "slot 277", "in the model"}},
        {change_singleton, {"component S", "in the engine", "in the model"}},
        {lose_tag, {"component T", "slot 299", "in the engine alone"}},
        {add_tag, {"component T", "slot 7 ", "slot 8 "}},
        {give_birth, {"lane 2", "slot 0", "in the model alone"}},
        {age, {"lane 1", "slot 5", "generation 3"}},
        {drop_command, {"0 commands dropped", "1 in the model", ""}},
    };
    struct pair *pair = calloc(1, sizeof *pair);
    for (uint32_t i = 0; i < LS_COUNT_OF(faults); i++) {
        char text[1024] = "";
        begin_pair(pair);
        if (!compare_world(pair->world, &pair->model.state, text, sizeof text))
            fail_msg("%s", text);
        faults[i].change(&pair->model.state);
        assert_false(compare_world(pair->world, &pair->model.state, text, sizeof text));
        for (uint32_t j = 0; j < 3; j++) {
            if (!strstr(text, faults[i].words[j]))
                fail_msg("\"%s\" is not in \"%s\"", faults[i].words[j], text);
        }
        end_pair(pair);
    }
    free(pair);
}

static uint32_t count_instructions(const struct program *program)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = 0; j < program->systems[i].body_count; j++)
            count += program->systems[i].body[j].op != OP_NOTHING;
    }
    return count;
}

/* Whether the program despawns by an instruction of its own and not in a walk. The planted fault
 * then cannot fail without that instruction, whatever else the generator drew. */
static bool despawns_directly(const struct program *program)
{
    uint32_t direct = 0;
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = 0; j < program->systems[i].body_count; j++) {
            const struct instruction *at = &program->systems[i].body[j];
            bool walks = at->op == OP_WALK || at->op == OP_OBSERVE;
            if (walks && at->imm % WALK_ACTIONS == WALK_DESPAWN)
                return false;
            direct += at->op == OP_DESPAWN;
        }
    }
    return direct > 0;
}

/* The first program that fails in its first tick when the engine ignores despawns. */
static struct program find_failing(char *text)
{
    enum { SEEDS = 2000 };
    for (uint64_t seed = 1; seed < SEEDS; seed++) {
        struct program failing = program_generate(seed);
        if (failing.has_modules || !despawns_directly(&failing))
            continue;
        failing.is_planted = true;
        for (uint32_t i = 0; i < failing.group_count; i++)
            failing.groups[i].despawned = 0, failing.groups[i].count %= 32;
        struct program first_tick = failing;
        first_tick.ticks = 1;
        if (!check_in_child(&first_tick, text))
            return failing;
    }
    fail_msg("none of %d programs finds the planted fault", SEEDS - 1);
    return (struct program){0};
}

/* A failing program whose engine side ignores despawns must shrink to one instruction. */
TEST(test_shrink_finds_the_planted_fault)
{
    if (HAS_THREAD_SANITIZER)
        skip(); /* takes minutes on threads, and does not test the engine */
    char text[CHECK_TEXT_BYTES] = "";
    struct program failing = find_failing(text);
    struct program small = check_shrink(&failing, text);
    assert_int_equal(small.system_count, 1);
    assert_int_equal(small.ticks, 1);
    uint32_t entities = 0;
    for (uint32_t i = 0; i < small.group_count; i++)
        entities += small.groups[i].count;
    /* The one that the system visits, and the one that it despawns. */
    if (entities > 2 || count_instructions(&small) > 4)
        fail_msg("%u entities and %u instructions are left: %s", entities,
                 count_instructions(&small), text);
    char *printed = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&printed, &bytes);
    program_print(&small, file);
    fclose(file);
    assert_non_null(strstr(printed, "despawn "));
    free(printed);
    small.is_planted = false;
    if (!check_in_child(&small, text))
        fail_msg("without the fault: %s", text);
}

TEST(test_one_seed_makes_one_program)
{
    for (uint64_t seed = 1; seed < 50; seed++) {
        struct program a = program_generate(seed), b = program_generate(seed);
        struct program c = program_generate(seed + 1);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_not_equal(&a, &c, sizeof a);
    }
}
