/* Lists in declarations, filled to their limits and with one item too many. */
#include "core/schedule/lists.h"
#include "harness.h"

typedef struct number {
    int32_t value;
} number;

static const ls_field fields[] = {LS_FIELD(number, value, LS_TYPE_I32)};
static const ls_field positions_fields[] = {LS_FIELD(ls_fix2, x, LS_TYPE_FIX),
                                            LS_FIELD(ls_fix2, y, LS_TYPE_FIX)};
static const ls_component positions = LS_COMPONENT_TABLE(ls_fix2, "position", positions_fields);
static const ls_component first = LS_COMPONENT_TABLE(number, "number", fields);
static const ls_component *const components[] = {&positions, &first};
static const char *const lanes[] = {"a"};

static void nothing(ls_context *context, const ls_entity *entities)
{
}

static void yes(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, LS_YES);
}

/* A simulation with room in every list; `beyond` is the number of items above the limit in the list
 * under test. */
typedef struct sample {
    ls_system systems[3], setup, criterion;
    ls_set set;
    ls_par par;
    ls_sim sim;
} sample;

static void sample_init(sample *self)
{
    *self = (sample){
        .systems = {{.name = "one", .mode = LS_SEQUENTIAL, .match = nothing, .labels = "tag"},
                    {.name = "two", .mode = LS_SEQUENTIAL, .match = nothing},
                    {.name = "three", .mode = LS_SEQUENTIAL, .match = nothing}},
        .setup = {.name = "begin", .mode = LS_SEQUENTIAL, .match = nothing},
        .criterion = {.name = "ask", .mode = LS_SEQUENTIAL, .match = yes},
        .set = {.name = "group"},
        .par = {.name = "both", .sides = "two, three"}};
    self->set.when.criterion = &self->criterion;
    self->sim = (ls_sim)HARNESS_SIM(components, lanes, self->systems);
    self->sim.setup = &self->setup;
    self->sim.sets = &self->set;
    self->sim.pars = &self->par;
    self->sim.set_count = self->sim.par_count = 1;
}

/* A list of `count` names. */
static const char *list_of(uint32_t count, const char *name)
{
    static char text[(LS_NAMES_MAX + 1) * 8];
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        strcat(text, i % 2 ? ", " : ",");
        strcat(text, name);
    }
    return text;
}

static void assert_builds(sample *self)
{
    harness built;
    harness_begin(&built, &self->sim, 1);
    harness_tick(built.world, NULL);
    harness_end(&built);
}

TEST(test_list_check_of_names_are_refused_beyond_their_limit)
{
    sample self;
    const struct {
        const char **list_at;
        const char *name, *owner, *list, *remedy;
    } table[] = {
        {&self.systems[0].lanes, "a", "system \"one\"", "256 lanes", "split"},
        {&self.systems[0].command_lanes, "a", "system \"one\"", "256 command_lanes", "split"},
        {&self.systems[0].labels, "tag", "system \"one\"", "256 labels", "let a set"},
        {&self.systems[0].before, "two", "system \"one\"", "256 names in .before", "one label"},
        {&self.systems[0].after, "two", "system \"one\"", "256 names in .after", "one label"},
        {&self.systems[0].weakly_before, "two", "system \"one\"", ".weakly_before", "one label"},
        {&self.systems[0].weakly_after, "two", "system \"one\"", ".weakly_after", "one label"},
        {&self.systems[0].needs, "two", "system \"one\"", "256 names in .needs", "one label"},
        {&self.setup.lanes, "a", "setup \"begin\"", "256 lanes", "split"},
        {&self.criterion.labels, "tag", "criterion \"ask\"", "256 labels", "let a set"},
        {&self.set.labels, "tag", "set \"group\"", "256 labels", "let a set"},
        {&self.set.before, "two", "set \"group\"", "256 names in .before", "one label"},
        {&self.set.after, "two", "set \"group\"", "256 names in .after", "one label"},
        {&self.set.weakly_before, "two", "set \"group\"", ".weakly_before", "one label"},
        {&self.set.weakly_after, "two", "set \"group\"", ".weakly_after", "one label"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(table); i++) {
        sample_init(&self);
        *table[i].list_at = list_of(LS_NAMES_MAX, table[i].name);
        assert_builds(&self);
        *table[i].list_at = list_of(LS_NAMES_MAX + 1, table[i].name);
        assert_refused(&self.sim, LS_ERROR_LIMIT, table[i].owner, table[i].list, table[i].remedy);
    }
}

TEST(test_list_check_of_sides_are_refused_beyond_their_limit)
{
    sample self;
    sample_init(&self);
    self.par.sides = list_of(LS_PAR_SIDES_MAX + 1, "two");
    assert_refused(&self.sim, LS_ERROR_LIMIT, "par \"both\"", "64 sides", "nest");
}

TEST(test_list_check_of_terms_grids_and_joins_are_refused_beyond_their_limit)
{
    sample self;
    sample_init(&self);
    static ls_term terms[LS_TERMS_MAX + 2];
    for (uint32_t i = 0; i < LS_TERMS_MAX; i++)
        terms[i] = (ls_term)LS_OTHERS_READ(first);
    self.systems[0].terms = terms;
    assert_builds(&self);
    terms[LS_TERMS_MAX] = terms[0];
    assert_refused(&self.sim, LS_ERROR_LIMIT, "system \"one\"", "256 terms", "split");
    sample_init(&self);
    static ls_grid grids[LS_SYSTEM_GRIDS_MAX + 2];
    for (uint32_t i = 0; i < LS_SYSTEM_GRIDS_MAX; i++)
        grids[i] = (ls_grid){&positions, NULL, 0, 4, LS_FIX_ONE, false};
    self.systems[0].grids = grids;
    assert_builds(&self);
    grids[LS_SYSTEM_GRIDS_MAX] = grids[0];
    assert_refused(&self.sim, LS_ERROR_LIMIT, "system \"one\"", "16 grids", "split");
    sample_init(&self);
    static ls_join joins[LS_SYSTEM_JOINS_MAX + 2];
    for (uint32_t i = 0; i < LS_SYSTEM_JOINS_MAX; i++)
        joins[i] = (ls_join){.component = &first};
    self.systems[0].joins = joins;
    assert_builds(&self);
    joins[LS_SYSTEM_JOINS_MAX] = joins[0];
    assert_refused(&self.sim, LS_ERROR_LIMIT, "system \"one\"", "16 joins", "split");
}

TEST(test_list_check_of_names_that_no_list_can_contain)
{
    static char long_name[LS_NAME_BYTES_MAX + 2];
    memset(long_name, 'x', sizeof long_name - 1);
    sample self;
    sample_init(&self);
    self.systems[1].name = "two, words";
    assert_refused(&self.sim, LS_ERROR_LIMIT, "system \"two, words\"", "without a comma", "rename");
    sample_init(&self);
    self.systems[1].labels = long_name;
    assert_refused(&self.sim, LS_ERROR_LIMIT, "\"two\" has in its labels a name of 128 bytes");
    long_name[LS_NAME_BYTES_MAX] = '\0';
    assert_builds(&self);
}

static bool report_has(const ls_schedule_report *report, ls_finding_kind kind, const char *words)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->findings[i].kind == kind && strstr(report->findings[i].text, words))
            return true;
    }
    for (uint32_t i = 0; i < report->count; i++)
        print_error("%s\n", report->findings[i].text);
    return false;
}

/* Lists that are too long, too many parts, a faulty module, an unknown name, a cycle and an
 * ambiguity. */
TEST(test_list_check_leaves_the_rest_in_the_same_report)
{
    static const ls_term writing[] = {LS_OTHERS_WRITE(first), {0}};
    static const ls_option options[LS_OPTIONS_MAX + 1];
    static const ls_module physics = {.name = "physics"}, *const twice[] = {&physics, &physics};
    static const ls_system more[] = {
        {.name = "four", .mode = LS_SEQUENTIAL, .match = nothing, .terms = writing},
        {.name = "five", .mode = LS_SEQUENTIAL, .match = nothing, .terms = writing},
        {.name = "six", .mode = LS_SEQUENTIAL, .match = nothing, .before = "seven"},
        {.name = "seven", .mode = LS_SEQUENTIAL, .match = nothing, .before = "six"},
        {.name = "eight", .mode = LS_SEQUENTIAL, .match = nothing, .after = "nine"}};
    sample self;
    sample_init(&self);
    ls_system systems[3 + LS_COUNT_OF(more)];
    memcpy(systems, self.systems, sizeof self.systems);
    memcpy(systems + 3, more, sizeof more);
    systems[1].after = self.set.labels = list_of(LS_NAMES_MAX + 1, "one");
    self.sim.systems = systems;
    self.sim.system_count = LS_COUNT_OF(systems);
    self.sim.options = options;
    self.sim.option_count = LS_COUNT_OF(options);
    self.sim.modules = twice;
    self.sim.module_count = LS_COUNT_OF(twice);
    ls_schedule_report *report;
    ls_error error;
    assert_int_equal(ls_program_check(&self.sim, &report, &error), LS_ERROR_LIMIT);
    assert_true(report_has(report, LS_FINDING_DECLARATION, "has 17 options"));
    assert_true(report_has(report, LS_FINDING_DECLARATION, "\"physics\" is listed twice"));
    assert_true(report_has(report, LS_FINDING_DECLARATION, "system \"two\" lists more than 256"));
    assert_true(report_has(report, LS_FINDING_DECLARATION, "set \"group\" lists more than 256"));
    assert_true(report_has(report, LS_FINDING_UNKNOWN, "\"nine\""));
    assert_true(report_has(report, LS_FINDING_CYCLE, "\"six\""));
    assert_true(report_has(report, LS_FINDING_AMBIGUITY, "\"five\" and \"four\""));
    ls_schedule_report_destroy(report);
}

static void expect_alone(const ls_sim *sim, const char *words)
{
    ls_schedule_report *report;
    ls_error error;
    assert_int_equal(ls_program_check(sim, &report, &error), LS_ERROR_LIMIT);
    assert_true(report_has(report, LS_FINDING_DECLARATION, words));
    for (uint32_t i = 1; i < report->count; i++)
        print_error("%s\n", report->findings[i].text);
    assert_int_equal(report->count, 1);
    ls_schedule_report_destroy(report);
}

/* The last component of a list that is too long is not missing to the systems that name it. */
TEST(test_list_check_reports_too_many_parts_alone)
{
    static char names[LS_COMPONENTS_MAX + 1][8];
    static ls_component given[LS_COMPONENTS_MAX + 1];
    const ls_component *list[LS_COMPONENTS_MAX + 1];
    sample self;
    sample_init(&self);
    for (uint32_t i = 0; i < LS_COUNT_OF(list); i++) {
        snprintf(names[i], sizeof names[i], "n%03u", i);
        given[i] = (ls_component)LS_COMPONENT_TABLE(number, names[i], fields);
        list[i] = &given[i];
    }
    const ls_term terms[] = {LS_OTHERS_READ(given[LS_COMPONENTS_MAX]), {0}};
    const ls_operation operation = {.component = list[LS_COMPONENTS_MAX], .name = "least"};
    self.systems[0].terms = self.systems[1].terms = self.setup.terms = terms;
    self.sim.operations = &operation;
    self.sim.operation_count = 1;
    self.sim.components = list;
    self.sim.component_count = LS_COUNT_OF(list);
    expect_alone(&self.sim, "129 components; at most 128 are allowed");
}

/* The key of its join is read by the last term, and query 1 has no other one. */
TEST(test_list_check_reports_too_many_terms_alone)
{
    static ls_term terms[LS_TERMS_MAX + 3];
    static const ls_join joins[] = {{.component = &first, .query = 1, .from = &first}, {0}};
    sample self;
    sample_init(&self);
    for (uint32_t i = 0; i < LS_TERMS_MAX; i++)
        terms[i] = (ls_term)LS_OTHERS_READ(first);
    terms[0] = (ls_term)LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, first);
    terms[LS_TERMS_MAX] = (ls_term)LS_READS(first);
    self.systems[0].terms = terms;
    self.systems[0].joins = joins;
    expect_alone(&self.sim, "system \"one\" lists more than 256 terms");
}

/* A setup that attaches 100 components, and a system that matches one of them and changes
 * another. */
enum { TYPES = 100 };
static ls_component many[TYPES];
static ls_entity born;

static void begin_with_many(ls_context *context, const ls_entity *entities)
{
    born = ls_spawn(context, 0);
    for (uint32_t i = 0; i < TYPES; i++) {
        assert_true(ls_cell_attach(context, i, born, &(number){(int32_t)i}));
        assert_int_equal(((const number *)ls_cell_find(context, i, born))->value, i);
    }
    for (uint32_t i = 0; i < TYPES; i += 2)
        ((number *)ls_cell_write(context, i, born))->value += 1000;
    for (uint32_t i = 0; i < TYPES; i += 5)
        assert_true(ls_cell_detach(context, i, born));
    for (uint32_t i = 0; i < TYPES; i++)
        assert_int_equal(ls_cell_has(context, i, born), i % 5 != 0);
}

static void copy_last(ls_context *context, const ls_entity *entities)
{
    const number *from = ls_cell_find(context, 0, entities[0]);
    number *to = ls_cell_write(context, LS_QUERY_TERMS_MAX, entities[0]);
    to->value = from->value + 1;
}

TEST(test_list_check_of_a_setup_name_a_hundred_types)
{
    static char names[TYPES][8];
    const ls_component *list[TYPES];
    ls_term born_terms[TYPES + 1] = {{0}}, terms[LS_QUERY_TERMS_MAX + 2] = {LS_READS(many[1])};
    ls_system setup = {.name = "begin",
                       .mode = LS_SEQUENTIAL,
                       .match = begin_with_many,
                       .terms = born_terms,
                       .lanes = "a"};
    ls_system copy = {.name = "copy", .mode = LS_SEQUENTIAL, .match = copy_last, .terms = terms};
    for (uint32_t i = 0; i < TYPES; i++) {
        snprintf(names[i], sizeof names[i], "n%02u", i);
        many[i] = (ls_component)LS_COMPONENT_TABLE(number, names[i], fields);
        list[i] = &many[i];
        born_terms[i] = (ls_term)LS_OTHERS_STRUCTURE(many[i]);
    }
    for (uint32_t i = 1; i < LS_QUERY_TERMS_MAX; i++)
        terms[i] = (ls_term)LS_OTHERS_READ(many[i]);
    terms[LS_QUERY_TERMS_MAX] = (ls_term)LS_OTHERS_WRITE(many[99]);
    sample rest;
    sample_init(&rest);
    ls_sim sim = rest.sim;
    sim.components = list;
    sim.component_count = TYPES;
    sim.systems = &copy;
    sim.system_count = 1;
    sim.set_count = sim.par_count = 0;
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    assert_int_equal(((const number *)ls_world_cell(self.world, &many[98], born))->value, 1098);
    assert_null(ls_world_cell(self.world, &many[95], born));
    ls_executor *checker = harness_checker();
    harness_tick(self.world, checker);
    assert_int_equal(((const number *)ls_world_cell(self.world, &many[99], born))->value, 2);
    ls_executor_destroy(checker);
    harness_end(&self);
    /* Those of query 0 must be among the first terms, because spans access them. */
    terms[LS_QUERY_TERMS_MAX] = (ls_term)LS_WRITES(many[99]);
    assert_refused(&sim, LS_ERROR_USAGE, "system \"copy\"", "\"n99\"", "first 16 terms",
                   "list it before");
}

TEST(test_list_check_finds_whole_names_only)
{
    assert_true(ls_name_list_has("steer, shoot", "shoot"));
    assert_true(ls_name_list_has("steer,\n\tshoot ", "shoot"));
    assert_false(ls_name_list_has("steer, shooting", "shoot"));
    assert_false(ls_name_list_has("steer shoot", "shoot"));
    assert_false(ls_name_list_has(NULL, "shoot"));
    char longer[LS_NAME_BYTES_MAX + 2];
    memset(longer, 'a', sizeof longer);
    longer[LS_NAME_BYTES_MAX + 1] = 0;
    char name[LS_NAME_BYTES_MAX + 1];
    memset(name, 'a', sizeof name);
    name[LS_NAME_BYTES_MAX] = 0;
    assert_false(ls_name_list_has(longer, name));
    assert_true(ls_name_list_has(name, name));
}

static void walk_too_wide(void *argument)
{
    ls_term terms[LS_QUERY_TERMS_MAX + 2] = {{0}};
    for (uint32_t i = 0; i <= LS_QUERY_TERMS_MAX; i++)
        terms[i] = (ls_term)LS_READS(first);
    ls_world_walk walk;
    ls_world_walk_begin(argument, terms, &walk);
}

TEST(test_list_check_of_a_walk_stop_the_process_beyond_their_limit)
{
    sample self;
    harness built;
    sample_init(&self);
    harness_begin(&built, &self.sim, 1);
    assert_dies(walk_too_wide, built.world, "\"harness\"", "walk", "16");
    harness_end(&built);
}
