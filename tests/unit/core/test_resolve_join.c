/* The rules for grids and joins in a system's declaration. */
#include "harness.h"

#include "core/schedule/program_data.h"

typedef struct place {
    ls_fix x, y;
    uint32_t kind;
} place;

LS_COMPONENT_NAMED(links, "link", ENTITY(parent, LS_KEEP), ENTITY_ARRAY(friends, LS_KEEP, 2),
                   I16(team), U8_ARRAY(rank, 2), FIX(weight));

LS_COMPONENT(spot, FIX3(at), U32(kind));

static const ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_FIX),
                                        LS_FIELD(place, y, LS_TYPE_FIX),
                                        LS_FIELD(place, kind, LS_TYPE_U32)};
static const ls_component places = LS_COMPONENT_TABLE(place, "place", place_fields);
static const ls_component single = LS_SINGLETON_TABLE(place, "single", place_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component foreign = LS_COMPONENT_TABLE(place, "foreign", place_fields);
static const ls_component other_link = LS_COMPONENT_TABLE(place, "link", place_fields);
static const ls_component *const components[] = {&places, &links_component, &single, &tag,
                                                 &spot_component};

#define CONC                              .name = "it", .span = harness_span
#define SEQ                               .name = "it", .mode = LS_SEQUENTIAL, .match = harness_match
#define GRID(component, with, x, y, cell) LS_GRIDS({component, with, x, y, cell, false})
#define SPACE(component, z)               LS_GRIDS({component, NULL, 0, 4, 1, false, true, z})
#define JOIN(of, at, ...)                                                                          \
    {                                                                                              \
        .component = of, .offset = at, __VA_ARGS__                                                 \
    }

static ls_sim sim_of(const ls_system *systems, uint32_t count)
{
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "resolve",
                    .version = "1",
                    .tick_rate = 1,
                    .player_count = 1,
                    .components = components,
                    .component_count = LS_COUNT_OF(components),
                    .systems = systems,
                    .system_count = count};
}

#define assert_wrong(status, system, ...)                                                          \
    do {                                                                                           \
        const ls_system system_ = system;                                                          \
        ls_sim sim_ = sim_of(&system_, 1);                                                         \
        assert_refused(&sim_, status, "system \"it\"", __VA_ARGS__);                               \
    } while (0)
#define SYSTEM(...) ((ls_system){__VA_ARGS__})

static void assert_right(ls_system system)
{
    ls_sim sim = sim_of(&system, 1);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_end(&self);
}

TEST(test_resolve_join_refuses_wrong_grids)
{
    const struct {
        ls_system system;
        const char *component, *why;
    } wrong[] = {
        {{SEQ, .grids = GRID(&foreign, NULL, 0, 4, 1)}, "\"foreign\"", "does not list"},
        {{SEQ, .grids = GRID(&places, &foreign, 0, 4, 1)}, "\"foreign\"", "does not list"},
        {{SEQ, .grids = GRID(&places, NULL, 0, 8, 1)}, "\"place\"", "two FIX(...) fields"},
        {{SEQ, .grids = GRID(&places, NULL, 2, 4, 1)}, "\"place\"", "two FIX(...) fields"},
        {{SEQ, .grids = GRID(&places, NULL, 4, 4, 1)}, "\"place\"", "offsetof(T, at.y)"},
        {{SEQ, .grids = GRID(&places, NULL, 0, 400, 1)}, "\"place\"", "two FIX(...) fields"},
        {{SEQ, .grids = GRID(&places, NULL, 0, 4, 0)}, "\"place\"", "above 0"},
        {{SEQ, .grids = GRID(&places, NULL, 0, 4, -5)}, "\"place\"", "above 0"},
        {{SEQ, .grids = GRID(&single, NULL, 0, 4, 1)}, "\"single\"", " READS_SINGLETON(...)"},
        {{SEQ, .grids = GRID(&places, &single, 0, 4, 1)}, "\"single\"", " READS_SINGLETON(...)"},
        {{SEQ, .grids = SPACE(&places, 8)}, "\"place\"", "offsetof(T, at.z)"},
        {{SEQ, .grids = SPACE(&spot_component, 0)}, "\"spot\"", "that of a third ls_fix"},
        {{SEQ, .grids = SPACE(&spot_component, 4)}, "\"spot\"", "that of a third ls_fix"},
        {{SEQ, .grids = SPACE(&spot_component, 9)}, "\"spot\"", "that of a third ls_fix"},
        {{SEQ, .grids = SPACE(&spot_component, 12)}, "\"spot\"", "that of a third ls_fix"},
        {{SEQ, .grids = LS_GRIDS({&spot_component, NULL, 0, 4, 1, false, false, 8})},
         "\"spot\"",
         "no has_z; set both, as LS_POSITION(T, x, y, z)"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++)
        assert_wrong(LS_ERROR_USAGE, wrong[i].system, "grid 0", wrong[i].component, wrong[i].why);
}

TEST(test_resolve_join_refuses_what_is_no_key)
{
    const struct {
        ls_join join;
        const char *component, *why;
    } wrong[] = {
        {JOIN(&foreign, 0, ), "\"foreign\"", "does not list"},
        {JOIN(&other_link, 0, ), "\"link\"", "another component of this name"},
        {JOIN(&single, 8, ), "\"single\"", " READS_SINGLETON(...)"},
        {JOIN(&tag, 0, ), "\"tag\"", "a tag has no field"},
        {JOIN(&links_component, 4, ), "\"link\"", "offsetof"},
        {JOIN(&links_component, offsetof(links, friends), ), "\"friends\"", "no array"},
        {JOIN(&links_component, offsetof(links, rank), ), "\"rank\"", "no array"},
        {JOIN(&links_component, offsetof(links, weight), ), "\"weight\"", "integer"},
        {JOIN(&places, 8, .with = &foreign), "\"foreign\"", "does not list"},
        {JOIN(&places, 8, .with = &single), "\"single\"", " READS_SINGLETON(...)"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++)
        assert_wrong(LS_ERROR_USAGE,
                     SYSTEM(SEQ, .joins = LS_JOINS(JOIN(&places, 8, ), wrong[i].join)), "join 1",
                     wrong[i].component, wrong[i].why);
    assert_right(SYSTEM(SEQ, .joins = LS_JOINS(JOIN(&links_component, 0, ), JOIN(&places, 8, ),
                                               JOIN(&links_component, offsetof(links, team), ))));
}

#define PRODUCT                                                                                    \
    .terms = LS_TERM_LIST(LS_READS(links_component),                                               \
                          LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, links_component))
#define TEAM offsetof(links, team)

TEST(test_resolve_join_refuses_a_query_that_it_cannot_drive)
{
    const struct {
        ls_join join;
        const char *why;
    } wrong[] = {
        {JOIN(&links_component, 0, .query = 2), "no query of this number"},
        {JOIN(&links_component, 0, .query = UINT32_MAX), "no query of this number"},
        {JOIN(&places, 8, .query = 1), "does not include the component"},
        {JOIN(&links_component, TEAM, .query = 1, .from = &places, .from_offset = 8),
         "query 0 does not include"},
        {JOIN(&links_component, TEAM, .query = 1, .from = &foreign), "does not list"},
        {JOIN(&links_component, TEAM, .query = 1, .from = &links_component, .from_offset = 1),
         "offsetof"},
        {JOIN(&links_component, TEAM, .query = 1), "numbers with numbers"},
        {JOIN(&links_component, 0, .query = 1, .from = &links_component, .from_offset = TEAM),
         "numbers with numbers"},
        {JOIN(&links_component, TEAM, .from = &links_component, .from_offset = TEAM), ".query"},
        {JOIN(&links_component, 0, .query = 1, .with = &tag), " WITH(...)"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++)
        assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, PRODUCT, .joins = LS_JOINS(wrong[i].join)),
                     "join 0", wrong[i].why);
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, PRODUCT,
                        .joins = LS_JOINS(JOIN(&links_component, 0, .query = 1),
                                          JOIN(&links_component, TEAM, .query = 1,
                                               .from = &links_component, .from_offset = TEAM))),
                 "join 1", "another join drives");
}

TEST(test_resolve_join_refuses_self_conflicts_without_start)
{
    const ls_join by_parent = JOIN(&links_component, 0, ),
                  at_start = JOIN(&links_component, 0, .start = true);
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(links_component)),
                        .joins = LS_JOINS(by_parent)),
                 "join 0", "\"link\"", ".start");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ATTACHES(links_component)),
                        .joins = LS_JOINS(by_parent)),
                 "join 0", "\"link\"", ".start");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places)),
                        .grids = GRID(&places, NULL, 0, 4, 1)),
                 "grid 0", "\"place\"", ".start");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ATTACHES(tag)),
                        .grids = GRID(&places, &tag, 0, 4, 1)),
                 "grid 0", "\"tag\"", ".start");
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ATTACHES(tag)),
                        .grids = LS_GRIDS({&places, &tag, 0, 4, 1, .start = true})));
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ATTACHES(tag)),
                        .joins = LS_JOINS(JOIN(&links_component, 0, .with = &tag))),
                 "join 0", "\"tag\"", ".start");
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ATTACHES(tag)),
                        .joins = LS_JOINS(JOIN(&links_component, 0, .start = true, .with = &tag))));
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places)),
                        .joins = LS_JOINS(JOIN(&links_component, 0, .with = &places))));
    /* Writing values of the filter does not change which entities the grid contains. */
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(links_component)),
                        .grids = GRID(&places, &links_component, 0, 4, 1)));
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(links_component)),
                        .joins = LS_JOINS(at_start)));
    assert_right(
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places)), .joins = LS_JOINS(by_parent)));
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places)),
                        .grids = LS_GRIDS({&places, NULL, 0, 4, 1, .start = true})));
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(links_component)),
                        .joins = LS_JOINS(by_parent)));
    assert_right(SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_WRITES(links_component)),
                        .joins = LS_JOINS(by_parent)));
}

TEST(test_resolve_join_counts_as_a_read)
{
    const ls_system systems[] = {
        {.name = "a",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         .joins = LS_JOINS(JOIN(&links_component, 0, ))},
        {.name = "b", .span = harness_span, .terms = LS_TERM_LIST(LS_WRITES(links_component))},
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    assert_refused(&sim, LS_ERROR_REFUSED, "\"a\"", "\"b\"", "reads", "\"link\"");
}

/* The presence of `with` counts as well; its values only if the system reads them of others. */
TEST(test_resolve_join_counts_as_a_read_of_with)
{
    ls_system systems[] = {
        {.name = "a",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         .joins = LS_JOINS(JOIN(&links_component, 0, .with = &places))},
        {.name = "b", .span = harness_span, .terms = LS_TERM_LIST(LS_ATTACHES(places))},
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    assert_refused(&sim, LS_ERROR_REFUSED, "\"a\"", "\"b\"", "\"place\"");
    systems[1].terms = LS_TERM_LIST(LS_WRITES(places));
    harness self;
    harness_begin(&self, &sim, 1);
    assert_false(self.program->joins[0].carries);
    harness_end(&self);
    systems[0].terms = LS_TERM_LIST(LS_OTHERS_READ(places));
    assert_refused(&sim, LS_ERROR_REFUSED, "\"a\"", "\"b\"", "reads", "\"place\"");
}

/* Joins that differ in `with`, or in whether they have its values, have an index each. */
TEST(test_resolve_join_lists_each_filter)
{
    const ls_system systems[] = {
        {.name = "a",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         .joins = LS_JOINS(JOIN(&links_component, 0, ), JOIN(&links_component, 0, .with = &places),
                           JOIN(&links_component, 0, .with = &tag))},
        {.name = "b",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(places), LS_OTHERS_READ(tag)),
         .joins = LS_JOINS(JOIN(&links_component, 0, .with = &places),
                           JOIN(&links_component, 0, .with = &tag), JOIN(&links_component, 0, ))},
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    harness self;
    harness_begin(&self, &sim, 1);
    const uint32_t *a = self.program->systems[0].joins, *b = self.program->systems[1].joins;
    assert_int_equal(self.program->join_count, 4);
    assert_int_equal(b[0], 3);
    assert_true(self.program->joins[3].carries);
    assert_int_equal(b[1], a[2]); /* a tag has no values */
    assert_int_equal(b[2], a[0]);
    harness_end(&self);
}

TEST(test_resolve_join_lists_each_index_once)
{
    const ls_system systems[] = {
        {.name = "a",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         .joins = LS_JOINS(JOIN(&links_component, 0, ), JOIN(&links_component, TEAM, ),
                           JOIN(&places, 8, ))},
        {.name = "b",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         PRODUCT,
         .joins = LS_JOINS(JOIN(&links_component, TEAM, .query = 1, .from = &links_component,
                                .from_offset = TEAM),
                           JOIN(&links_component, 0, .start = true))},
        {.name = "c",
         .mode = LS_SEQUENTIAL,
         .match = harness_match,
         PRODUCT,
         .joins = LS_JOINS(JOIN(&places, 8, ), JOIN(&links_component, 0, .query = 1))},
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    harness self;
    harness_begin(&self, &sim, 1);
    assert_int_equal(self.program->join_count, 3);
    const ls_plan_system *a = &self.program->systems[0], *b = &self.program->systems[1];
    const ls_plan_system *c = &self.program->systems[2];
    assert_int_equal(b->joins[0], a->joins[1]);
    assert_int_equal(b->joins[1], a->joins[0]);
    assert_int_equal(c->joins[0], a->joins[2]);
    assert_int_equal(a->query_joins[1], 0);
    assert_int_equal(b->query_joins[1], 1);
    assert_int_equal(b->join_from[0].offset, TEAM);
    assert_int_equal(b->join_from[0].type, LS_TYPE_I16);
    assert_int_equal(c->query_joins[1], 2);
    assert_int_equal(c->join_from[1].column, UINT32_MAX);
    harness_end(&self);
}

/* Grids with equal offsets share an index; their order in space decides a tick. */
TEST(test_resolve_join_lists_each_grid_once)
{
    const ls_grid all[] = {{&spot_component, NULL, 0, 4, 1},
                           {&spot_component, NULL, 0, 4, 1, false, true, 8},
                           {&spot_component, NULL, 4, 0, 1, false, true, 8},
                           {&spot_component, NULL, 0, 8, 1, false, true, 4}};
    enum { COUNT = LS_COUNT_OF(all) };
    uint64_t prints[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        const ls_system systems[] = {
            {.name = "a",
             .mode = LS_SEQUENTIAL,
             .match = harness_match,
             .grids = LS_GRIDS(all[0], all[i])},
            {.name = "b", .mode = LS_SEQUENTIAL, .match = harness_match, .grids = LS_GRIDS(all[i])},
        };
        ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
        harness self;
        harness_begin(&self, &sim, 1);
        assert_int_equal(self.program->grid_count, i ? 2 : 1);
        assert_int_equal(self.program->systems[0].grids[1], self.program->systems[1].grids[0]);
        memcpy(&prints[i], ls_program_fingerprint(self.program), sizeof prints[i]);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(prints[k], prints[i]);
        harness_end(&self);
    }
}
