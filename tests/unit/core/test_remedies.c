/* The orders that a refusal proposes: with all of them the schedule builds, and with fewer it does
 * not. */
#include "harness.h"
#include "tests/support/names.h"

typedef struct tally {
    uint32_t value;
} tally;

enum { COLUMNS = 6, SYSTEMS_MAX = 7, ROUNDS = 150 };

static const ls_field fields[] = {LS_FIELD(tally, value, LS_TYPE_U32)};
static const ls_component a = LS_COMPONENT_TABLE(tally, "a", fields);
static const ls_component b = LS_COMPONENT_TABLE(tally, "b", fields);
static const ls_component c = LS_COMPONENT_TABLE(tally, "c", fields);
static const ls_component d = LS_COMPONENT_TABLE(tally, "d", fields);
static const ls_component e = LS_COMPONENT_TABLE(tally, "e", fields);
static const ls_component f = LS_COMPONENT_TABLE(tally, "f", fields);
static const ls_component *const components[COLUMNS] = {&a, &b, &c, &d, &e, &f};
static const char *const lanes[] = {"x"};
static const char *const names[SYSTEMS_MAX] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6"};

static void nothing(ls_context *context, const ls_entity *unused)
{
}

typedef struct lists {
    ls_term terms[SYSTEMS_MAX][3];
    test_names after[SYSTEMS_MAX];
} lists;

static void add_edge(ls_system *systems, lists *in, uint32_t earlier, uint32_t later)
{
    systems[later].after = test_names_add(&in->after[later], names[earlier]);
}

static uint32_t make_systems(ls_system *systems, lists *made, uint64_t *random)
{
    *made = (lists){0};
    uint32_t count = 2 + test_below(random, SYSTEMS_MAX - 1), edges = test_below(random, count);
    for (uint32_t i = 0; i < count; i++) {
        systems[i] = (ls_system){.name = names[i], .mode = LS_SEQUENTIAL, .match = nothing};
        for (uint32_t j = 0; j < 2; j++) {
            const ls_component *component = components[test_below(random, COLUMNS)];
            const ls_term reads = LS_OTHERS_READ(*component), writes = LS_OTHERS_WRITE(*component);
            made->terms[i][j] = test_below(random, 3) ? reads : writes;
        }
        systems[i].terms = made->terms[i];
    }
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t later = 1 + test_below(random, count - 1), earlier = test_below(random, later);
        if (strlen(made->after[later].text) < 2 * strlen(", s0"))
            add_edge(systems, made, earlier, later);
    }
    return count;
}

static ls_sim sim_of(const ls_system *systems, uint32_t count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = count;
    return sim;
}

static bool builds(const ls_system *systems, uint32_t count)
{
    ls_sim sim = sim_of(systems, count);
    ls_program *program;
    bool is_built = ls_program_create(&sim, &program, NULL) == LS_OK;
    ls_program_destroy(program);
    return is_built;
}

static bool some_edges_do(const ls_system *systems, const lists *in, uint32_t count, uint32_t edges)
{
    if (edges == 0)
        return builds(systems, count);
    for (uint32_t i = 0; i < count * count; i++) {
        ls_system changed[SYSTEMS_MAX];
        lists changed_lists = *in;
        if (i / count == i % count)
            continue;
        memcpy(changed, systems, sizeof *systems * count);
        for (uint32_t j = 0; j < count; j++)
            changed[j].after = changed_lists.after[j].text;
        add_edge(changed, &changed_lists, i / count, i % count);
        if (some_edges_do(changed, &changed_lists, count, edges - 1))
            return true;
    }
    return false;
}

TEST(test_remedies_settle_everything_with_as_few_edges_as_can_be)
{
    uint64_t random = harness_seed("test_remedies_settle_everything");
    uint32_t compared = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ls_system systems[SYSTEMS_MAX];
        lists made;
        uint32_t count = make_systems(systems, &made, &random);
        ls_sim sim = sim_of(systems, count);
        ls_schedule_report *report;
        ls_status status = ls_program_check(&sim, &report, NULL);
        assert_non_null(report);
        assert_int_equal(status == LS_OK, report->remedy_count == 0);
        assert_true(report->remedy_count == 0 || report->is_smallest);
        if (report->remedy_count > 0 && report->remedy_count <= 3) {
            assert_false(some_edges_do(systems, &made, count, report->remedy_count - 1));
            compared++;
        }
        for (uint32_t i = 0; i < report->remedy_count; i++)
            add_edge(systems, &made, (uint32_t)(report->remedies[i].earlier[1] - '0'),
                     (uint32_t)(report->remedies[i].later[1] - '0'));
        assert_true(builds(systems, count));
        ls_schedule_report_destroy(report);
    }
    assert_true(compared > ROUNDS / 5);
}

/* An order between two systems without a conflict may settle several pairs. */
TEST(test_remedies_may_be_between_others)
{
    const ls_system systems[] = {
        {.name = "s0",
         .mode = LS_SEQUENTIAL,
         .match = nothing,
         .terms = LS_TERM_LIST(LS_OTHERS_WRITE(a))},
        {.name = "s1",
         .mode = LS_SEQUENTIAL,
         .match = nothing,
         .terms = LS_TERM_LIST(LS_OTHERS_WRITE(b))},
        {.name = "s2", .mode = LS_SEQUENTIAL, .match = nothing, .after = "s0, s1"},
        {.name = "s3", .mode = LS_SEQUENTIAL, .match = nothing, .before = "s4, s5"},
        {.name = "s4",
         .mode = LS_SEQUENTIAL,
         .match = nothing,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(a))},
        {.name = "s5",
         .mode = LS_SEQUENTIAL,
         .match = nothing,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(b))}};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    ls_schedule_report *report;
    assert_int_equal(ls_program_check(&sim, &report, NULL), LS_ERROR_REFUSED);
    assert_int_equal(report->count, 2);
    assert_int_equal(report->remedy_count, 1);
    assert_string_equal(report->remedies[0].earlier, "s2");
    assert_string_equal(report->remedies[0].later, "s3");
    assert_true(report->is_smallest);
    ls_schedule_report_destroy(report);
}
