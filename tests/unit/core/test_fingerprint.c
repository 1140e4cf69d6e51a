/* The fingerprint changes with everything that affects the result of a tick, and with nothing
 * else. */
#include "core/schedule/lists.h"
#include "harness.h"
#include "sample_sim.h"

/* Copies of all parts of a simulation that a test may change. */
typedef struct variant {
    ls_sim sim;
    ls_system systems[16];
    ls_term terms[17][16]; /* by system; the last are the setup's */
    ls_grid grids[3];      /* of system 0 */
    ls_join joins[2];      /* of system 0 */
    ls_component components[16];
    const ls_component *component_list[16];
    ls_field fields[8];
    ls_field other_fields[2];
    const char *lanes[4];
    ls_option options[2];
    ls_system setup;
} variant;

static void copy_terms(variant *copy, uint32_t index, ls_system *system)
{
    memset(copy->terms[index], 0, sizeof copy->terms[index]);
    for (uint32_t i = 0; ls_term_of(system, i); i++)
        copy->terms[index][i] = *ls_term_of(system, i);
    system->terms = copy->terms[index];
}

static void copy_sim(variant *copy)
{
    const ls_sim *sim = &sample_sim;
    copy->sim = *sim;
    memcpy(copy->systems, sim->systems, sizeof copy->systems[0] * sim->system_count);
    for (uint32_t i = 0; i < sim->component_count; i++) {
        copy->components[i] = *sim->components[i];
        copy->component_list[i] = &copy->components[i];
    }
    memcpy(copy->fields, sample_vigors.fields, sizeof copy->fields[0] * sample_vigors.field_count);
    copy->components[2].fields = copy->fields;
    memcpy(copy->other_fields, sample_preys.fields, sizeof copy->other_fields);
    copy->components[3].fields = copy->other_fields;
    memcpy(copy->lanes, sim->lanes, sizeof copy->lanes[0] * sim->lane_count);
    memcpy(copy->options, sim->options, sizeof copy->options);
    copy->setup = *sim->setup;
    for (uint32_t i = 0; i < sim->system_count; i++)
        copy_terms(copy, i, &copy->systems[i]);
    copy_terms(copy, LS_COUNT_OF(copy->systems), &copy->setup);
    memset(copy->grids, 0, sizeof copy->grids);
    copy->grids[0] = *ls_grid_of(&copy->systems[0], 0);
    copy->systems[0].grids = copy->grids;
    memset(copy->joins, 0, sizeof copy->joins);
    copy->systems[0].joins = copy->joins;
    copy->sim.systems = copy->systems;
    copy->sim.components = copy->component_list;
    copy->sim.lanes = copy->lanes;
    copy->sim.options = copy->options;
    copy->sim.setup = &copy->setup;
}

static void fingerprint(const ls_sim *sim, uint8_t *bytes)
{
    ls_program *program;
    ls_error error = {""};
    if (ls_program_create(sim, &program, &error) != LS_OK)
        fail_msg("%s", error.text);
    memcpy(bytes, ls_program_fingerprint(program), LS_FINGERPRINT_BYTES);
    ls_program_destroy(program);
}

static void change_name(variant *copy)
{
    copy->sim.name = "other";
}
static void change_version(variant *copy)
{
    copy->sim.version = "2";
}
static void change_source(variant *copy)
{
    copy->sim.source_hash = "0123";
}
static void change_component_name(variant *copy)
{
    static const ls_component other = LS_TAG_TABLE("other"); /* another name than "more" below */
    copy->component_list[copy->sim.component_count++] = &other;
}
static void change_field_name(variant *copy)
{
    copy->fields[0].name = "life";
}
static void change_field_type(variant *copy)
{
    copy->fields[0].type = LS_TYPE_U32;
}
static void change_component_count(variant *copy)
{
    static const ls_component more = LS_TAG_TABLE("more");
    copy->component_list[copy->sim.component_count++] = &more;
}
static void change_lane_name(variant *copy)
{
    copy->lanes[1] = "flame";
    copy->systems[8].lanes = "flame";
}
static void change_lane_count(variant *copy)
{
    copy->lanes[copy->sim.lane_count++] = "third";
}
static void change_option_name(variant *copy)
{
    copy->options[0].name = "animals";
}
static void change_option_min(variant *copy)
{
    copy->options[0].min = 1;
}
static void change_option_max(variant *copy)
{
    copy->options[0].max = 5;
}
static void change_option_count(variant *copy)
{
    copy->sim.option_count = 1;
}
static void change_system_name(variant *copy)
{
    copy->systems[10].name = "write";
    copy->systems[7].after = "duel, write";
}
static void change_system_count(variant *copy)
{
    copy->sim.system_count = 10;
    copy->systems[7].after = "duel";
}
static void change_order(variant *copy)
{
    copy->systems[10].after = "turn";
}
static void change_kind(variant *copy)
{
    copy->terms[0][2].kind = LS_INCLUDE;
}
static void change_access(variant *copy)
{
    copy->terms[9][0].access = LS_ACCESS_STRUCTURE;
}
static void change_query(variant *copy)
{
    copy->terms[6][0].query = 1;
}
static void change_query_again(variant *copy)
{
    copy->terms[6][0].query = 2;
}
static void walk_query(variant *copy)
{
    copy->terms[6][0].query = LS_WALKED | 2;
}
static void change_term_count(variant *copy)
{
    copy->terms[10][1] = (ls_term)LS_WITH(sample_memos);
}
static void change_cell(variant *copy)
{
    copy->grids[0].cell++;
}
static void change_axes(variant *copy)
{
    ls_grid *grid = &copy->grids[0];
    uint32_t x = grid->offset_x;
    grid->offset_x = grid->offset_y;
    grid->offset_y = x;
}
static void change_with(variant *copy)
{
    copy->grids[0].with = &sample_places;
}
static void change_grid_count(variant *copy)
{
    copy->grids[1] = copy->grids[0];
}
static void add_join(variant *copy)
{
    copy->joins[0] = (ls_join){.component = &sample_preys, .offset = offsetof(sample_prey, of)};
}
static void add_join_with(variant *copy)
{
    copy->joins[0] = (ls_join){
        .component = &sample_preys, .offset = offsetof(sample_prey, of), .with = &sample_places};
}
static void change_join(variant *copy)
{
    copy->joins[0] = (ls_join){.component = &sample_preys, .offset = offsetof(sample_prey, since)};
}

static void change_command_lanes(variant *copy)
{
    copy->systems[7].command_lanes = "world";
}
static void change_lanes(variant *copy)
{
    copy->systems[7].lanes = "beast, world";
}
static void change_setup(variant *copy)
{
    copy->setup.name = "establish";
}
static void change_setup_terms(variant *copy)
{
    copy->terms[LS_COUNT_OF(copy->systems)][5].access = LS_ACCESS_READ;
}
static void drop_setup(variant *copy)
{
    copy->sim.setup = NULL;
}

static const ls_field row_fields[] = {{"height", LS_TYPE_U32, 0, 4}};
static const ls_field other_row_fields[] = {{"depth", LS_TYPE_U32, 0, 4}};
static const ls_component row_a = {"a", 4, 1, row_fields}, row_b = {"b", 4, 1, row_fields};
static const ls_component other_row_a = {"a", 4, 1, other_row_fields};

static uint32_t count_no_rows(const ls_match *match)
{
    return 0;
}
static void fill_no_rows(const ls_match *match, void *rows, uint32_t count)
{
}
#define TABLE(row)                                                                                 \
    {                                                                                              \
        &row, count_no_rows, fill_no_rows                                                          \
    }

static const char *const two_levels[] = {"low", "high"}, *const other_levels[] = {"low", "top"};

static void change_tables(variant *copy)
{
    static const ls_match_table table[] = {TABLE(row_a)};
    copy->sim.tables = table;
    copy->sim.table_count = 1;
}
static void change_row(variant *copy)
{
    static const ls_match_table table[] = {TABLE(other_row_a)};
    copy->sim.tables = table;
    copy->sim.table_count = 1;
}
static void change_enum(variant *copy)
{
    copy->fields[2].type = LS_TYPE_ENUM;
    copy->fields[2].max = 1;
    copy->fields[2].names = two_levels;
}
static void change_enum_names(variant *copy)
{
    change_enum(copy);
    copy->fields[2].names = other_levels;
}
static void change_enum_count(variant *copy)
{
    change_enum(copy);
    copy->fields[2].max = 0;
}
static void change_max(variant *copy)
{
    copy->fields[2].max = 1;
}
static void change_on_death(variant *copy)
{
    /* fields of a copy of the prey component */
    copy->other_fields[0].on_despawn = LS_NULL;
}
static void change_on_death_again(variant *copy)
{
    copy->other_fields[0].on_despawn = LS_CASCADE;
}
static void change_event(variant *copy)
{
    static const ls_component event = {"other", 0, 0, NULL, false, true};
    copy->component_list[copy->sim.component_count++] = &event;
}
static void change_items(variant *copy)
{
    static const ls_field fields[] = {{"items", LS_TYPE_U16, 0, 4, 0, NULL, LS_KEEP, "used"},
                                      {"used", LS_TYPE_U16, 4, 2, 2},
                                      {"left", LS_TYPE_U16, 6, 2, 2}};
    static const ls_component list = {"list", 8, 3, fields};
    copy->component_list[copy->sim.component_count++] = &list;
}
static void change_count(variant *copy)
{
    static const ls_field fields[] = {{"items", LS_TYPE_U16, 0, 4, 0, NULL, LS_KEEP, "left"},
                                      {"used", LS_TYPE_U16, 4, 2, 2},
                                      {"left", LS_TYPE_U16, 6, 2, 2}};
    static const ls_component list = {"list", 8, 3, fields};
    copy->component_list[copy->sim.component_count++] = &list;
}

TEST(test_fingerprint_covers_what_decides_a_tick)
{
    static void (*const changes[])(variant *) = {
        change_name,         change_version,       change_source,       change_component_name,
        change_field_name,   change_field_type,    change_lane_name,    change_component_count,
        change_lane_count,   change_option_name,   change_option_min,   change_option_max,
        change_option_count, change_system_name,   change_system_count, change_order,
        change_kind,         change_access,        change_query,        change_term_count,
        change_cell,         change_axes,          change_with,         change_grid_count,
        change_lanes,        change_setup,         change_setup_terms,  drop_setup,
        change_tables,       change_row,           change_enum,         change_enum_names,
        change_enum_count,   change_max,           change_on_death,     change_on_death_again,
        change_event,        change_items,         change_count,        add_join,
        change_join,         change_command_lanes, change_query_again,  walk_query,
        add_join_with};
    enum { COUNT = LS_COUNT_OF(changes) + 1 };
    uint8_t prints[COUNT][LS_FINGERPRINT_BYTES];
    static variant copy;
    copy_sim(&copy);
    fingerprint(&copy.sim, prints[0]);
    for (uint32_t i = 1; i < COUNT; i++) {
        copy_sim(&copy);
        changes[i - 1](&copy);
        fingerprint(&copy.sim, prints[i]);
        for (uint32_t j = 0; j < i; j++) {
            if (memcmp(prints[j], prints[i], 8) == 0 ||
                memcmp(prints[j] + 8, prints[i] + 8, 8) == 0)
                fail_msg("change %u has the fingerprint of %u", i, j);
        }
    }
}

TEST(test_fingerprint_leaves_out_what_decides_nothing)
{
    uint8_t before[LS_FINGERPRINT_BYTES], after[LS_FINGERPRINT_BYTES];
    fingerprint(&sample_sim, before);
    static variant copy;
    copy_sim(&copy);
    fingerprint(&copy.sim, after);
    assert_memory_equal(before, after, sizeof before);
    copy.sim.summary = "other words";
    copy.options[0].summary = "other words";
    copy.options[0].standard = 7; /* the match carries the option's value */
    copy.sim.tick_rate = 30;
    copy.sim.player_count = 4;
    copy.sim.input_is_valid = NULL;
    copy.systems[0].labels = "unasked";
    copy.systems[0].cost_ns = 1000;
    copy.systems[0].scratch_bytes = 1000;
    fingerprint(&copy.sim, after);
    assert_memory_equal(before, after, sizeof before);
    fingerprint(&sample_sim_reversed, after);
    assert_memory_equal(before, after, sizeof before);
}

TEST(test_fingerprint_knows_match_tables_by_name)
{
    static const ls_match_table forth[] = {TABLE(row_a), TABLE(row_b)};
    static const ls_match_table back[] = {TABLE(row_b), TABLE(row_a)};
    uint8_t before[LS_FINGERPRINT_BYTES], after[LS_FINGERPRINT_BYTES];
    ls_sim sim = sample_sim;
    sim.table_count = 2;
    sim.tables = forth;
    fingerprint(&sim, before);
    sim.tables = back;
    fingerprint(&sim, after);
    assert_memory_equal(before, after, sizeof before);
}

static uint64_t schema(const ls_sim *sim)
{
    ls_program *program;
    assert_int_equal(ls_program_create(sim, &program, NULL), LS_OK);
    uint64_t hash = ls_program_schema(program);
    ls_program_destroy(program);
    return hash;
}

TEST(test_fingerprint_schema_is_of_components_alone)
{
    static void (*const same[])(variant *) = {change_name,       change_system_count,
                                              change_lane_count, change_option_max,
                                              change_tables,     drop_setup};
    static void (*const other[])(variant *) = {
        change_component_name, change_field_name, change_field_type, change_enum,
        change_enum_names,     change_on_death,   change_event,      change_items};
    static variant copy;
    uint64_t hashes[LS_COUNT_OF(other) + 1] = {schema(&sample_sim)};
    assert_int_equal(schema(&sample_sim_reversed), hashes[0]);
    for (uint32_t i = 0; i < LS_COUNT_OF(same); i++) {
        copy_sim(&copy);
        same[i](&copy);
        assert_int_equal(schema(&copy.sim), hashes[0]);
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(other); i++) {
        copy_sim(&copy);
        other[i](&copy);
        hashes[i + 1] = schema(&copy.sim);
        for (uint32_t j = 0; j <= i; j++)
            assert_int_not_equal(hashes[j], hashes[i + 1]);
    }
}

/* Pins how a fingerprint is computed: a change that gives another value must raise
 * LS_ENGINE_RULES. */
TEST(test_fingerprint_is_the_same_on_every_machine)
{
    uint8_t found[LS_FINGERPRINT_BYTES];
    char text[2 * LS_FINGERPRINT_BYTES + 1];
    fingerprint(&sample_sim, found);
    for (uint32_t i = 0; i < sizeof found; i++)
        snprintf(text + 2 * i, 3, "%02x", found[i]);
    assert_string_equal(text, "5d504dfb95763bce7f81b5c3088323a1");
}
