/* Faults in the list of modules are refused by name. */
#include "harness.h"

LS_COMPONENT(place, U32(x));
LS_COMPONENT_NAMED(twin, "place", U32(x));
LS_COMPONENT_NAMED(dotted, "a.b", U32(x));
static const ls_component *const dotted_components[] = {&dotted_component};

static const ls_system dotted_systems[] = {
    {.name = "a.b", .mode = LS_SEQUENTIAL, .match = harness_match}};
static const ls_option dotted_options[] = {{"a.b", "", 0, 1, 0}};
static const char *const dotted_lanes[] = {"a.b"};
static const ls_stage dotted_stages[] = {{.name = "a.b"}};
static const ls_set dotted_sets[] = {{.name = "a.b"}};
static const ls_par dotted_pars[] = {{.name = "a.b", .sides = "c, d"}};

static ls_sim sim_of(const ls_module *const *modules, uint32_t count)
{
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "game",
                    .version = "1",
                    .tick_rate = 20,
                    .player_count = 1,
                    .modules = modules,
                    .module_count = count};
}

TEST(test_module_list_refuses_dots_in_names_of_parts)
{
    const struct {
        const char *kind;
        ls_module module;
    } cases[] = {
        {"component", {.components = dotted_components, .component_count = 1}},
        {"lane", {.lanes = dotted_lanes, .lane_count = 1}},
        {"option", {.options = dotted_options, .option_count = 1}},
        {"system", {.systems = dotted_systems, .system_count = 1}},
        {"setup", {.setup = dotted_systems, .setup_count = 1}},
        {"stage", {.stages = dotted_stages, .stage_count = 1}},
        {"set", {.sets = dotted_sets, .set_count = 1}},
        {"par", {.pars = dotted_pars, .par_count = 1}},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_module module = cases[i].module;
        module.name = "m";
        const ls_module *const modules[] = {&module};
        ls_sim sim = sim_of(modules, 1);
        char words[80];
        snprintf(words, sizeof words, "%s \"a.b\" of \"m\" has a dot in its name", cases[i].kind);
        assert_refused(&sim, LS_ERROR_USAGE, words);
    }
}

TEST(test_module_list_needs_names)
{
    static const ls_module nameless = {.name = ""};
    const ls_module *const none[] = {NULL}, *const empty[] = {&nameless};
    ls_sim sim = sim_of(none, 1);
    assert_refused(&sim, LS_ERROR_USAGE, "module 0 of 1 of \"game\" has no name; give it one");
    sim = sim_of(empty, 1);
    assert_refused(&sim, LS_ERROR_USAGE, "module 0 of 1 of \"game\" has no name; give it one");
}

/* A module within itself is listed twice, so the list ends. */
TEST(test_module_list_refuses_a_circle)
{
    static ls_module outer = {.name = "outer", .module_count = 1},
                     inner = {.name = "inner", .module_count = 1};
    static const ls_module *const inners[] = {&inner}, *const outers[] = {&outer};
    outer.modules = inners;
    inner.modules = outers;
    ls_sim sim = sim_of(outers, 1);
    assert_refused(&sim, LS_ERROR_USAGE,
                   "module \"outer\" is listed twice, by \"game\" and by \"outer.inner\"");
}

TEST(test_module_list_is_bounded)
{
    static ls_module modules[LS_MODULES_MAX + 1];
    static char names[LS_MODULES_MAX + 1][8];
    static const ls_module *list[LS_MODULES_MAX + 1];
    for (uint32_t i = 0; i <= LS_MODULES_MAX; i++) {
        snprintf(names[i], sizeof names[i], "m%u", i);
        modules[i] = (ls_module){.name = names[i]};
        list[i] = &modules[i];
    }
    ls_sim sim = sim_of(list, LS_MODULES_MAX);
    ls_program *program;
    assert_ok(ls_program_create(&sim, &program, NULL));
    ls_program_destroy(program);
    sim = sim_of(list, LS_MODULES_MAX + 1);
    assert_refused(&sim, LS_ERROR_LIMIT, "uses more than 64 modules");
}

/* The limits of a simulation are those of all its parts together. */
TEST(test_module_list_counts_the_parts_of_all)
{
    static ls_option options[LS_OPTIONS_MAX];
    static char names[LS_OPTIONS_MAX][8];
    for (uint32_t i = 0; i < LS_OPTIONS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "o%u", i);
        options[i] = (ls_option){names[i], "", 0, 1, 0};
    }
    static const ls_module one = {.name = "one", .options = options, .option_count = 1};
    static const ls_module *const ones[] = {&one};
    ls_sim sim = sim_of(ones, 1);
    sim.options = options;
    sim.option_count = LS_OPTIONS_MAX - 1;
    ls_program *program;
    assert_ok(ls_program_create(&sim, &program, NULL));
    ls_program_destroy(program);
    sim.option_count = LS_OPTIONS_MAX;
    assert_refused(&sim, LS_ERROR_LIMIT, "options");
}

/* Components of two modules are compared by the names of their fields, which may be missing. */
TEST(test_module_list_takes_fields_without_names)
{
    ls_field field = place_component.fields[0];
    field.name = NULL;
    ls_component one_place = place_component, other_place = place_component;
    one_place.fields = &field;
    const ls_component *const ones[] = {&one_place}, *const others[] = {&other_place};
    const ls_module one = {.name = "one", .components = ones, .component_count = 1};
    const ls_module other = {.name = "other", .components = others, .component_count = 1};
    const ls_module *const modules[] = {&one, &other};
    ls_sim sim = sim_of(modules, 2);
    assert_refused(&sim, LS_ERROR_USAGE, "\"one.place\": the field at offset 0 has no name");
}

/* Terms of two files have two tables of one component, so equal tables are one component. */
TEST(test_module_list_refuses_twins)
{
    static const ls_component *const places[] = {&place_component}, *const twins[] = {
                                                                        &twin_component};
    static const ls_module one = {.name = "one", .components = places, .component_count = 1};
    static const ls_module other = {.name = "other", .components = twins, .component_count = 1};
    static const ls_module *const modules[] = {&one, &other};
    ls_sim sim = sim_of(modules, 2);
    assert_refused(&sim, LS_ERROR_USAGE,
                   "\"one\" and \"other\" both list a component \"place\" with the same fields");
}
