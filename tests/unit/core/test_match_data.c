/* Match data: computed once, shared, part of the root, and independent of the order of tables. */
#include "harness.h"

#include "core/base/builder.h"
#include <lockstep/diff.h>

#include <pthread.h>
#include <stdatomic.h>

LS_COMPONENT(tile, U32(height), U16(kind), U16(untouched));

typedef struct spot {
    int32_t value;
} spot;

LS_SINGLETON(tally, U64(sum));

static const ls_field spot_fields[] = {LS_FIELD(spot, value, LS_TYPE_I32)};
static const ls_component spots = LS_COMPONENT_TABLE(spot, "spot", spot_fields);
LS_COMPONENTS(components, tally);

enum { SIZE = 0, STEEPNESS = 1 };
static const ls_option options[] = {{"size", "tiles", 0, INT32_MAX, 100},
                                    {"steepness", "of tiles", 0, 9, 1}};
static atomic_uint fills; /* number of calls of fill_tiles() */

static uint32_t count_tiles(const ls_match *match)
{
    return (uint32_t)match->options[SIZE];
}

static void fill_tiles(const ls_match *match, void *rows, uint32_t count)
{
    tile *tile_rows = rows;
    fills++;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(tile_rows[i].height + tile_rows[i].kind, 0);
        tile_rows[i].height = i * (uint32_t)match->options[STEEPNESS];
        tile_rows[i].kind = (uint16_t)(match->seed + i);
    }
}

static uint32_t count_spots(const ls_match *match)
{
    return match->player_count;
}

static void fill_spots(const ls_match *match, void *rows, uint32_t count)
{
    spot *spot_rows = rows;
    for (uint32_t i = 0; i < count; i++)
        spot_rows[i].value = -(int32_t)(i + match->seed);
}

static void sum_up(ls_context *context, const ls_entity *entities)
{
    uint32_t count;
    const tile *rows = ls_match_rows(context, &tile_component, &count);
    tally *total = ls_singleton_write(context, 0);
    for (uint32_t i = 0; i < count; i++)
        total->sum += rows[i].height;
}

static const ls_system systems[] = {{.name = "sum up",
                                     .mode = LS_SEQUENTIAL,
                                     .match = sum_up,
                                     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tally_component))}};
static const ls_match_table tables[] = {{&tile_component, count_tiles, fill_tiles},
                                        {&spots, count_spots, fill_spots}};
static const ls_match_table tables_reversed[] = {{&spots, count_spots, fill_spots},
                                                 {&tile_component, count_tiles, fill_tiles}};

static ls_sim make_sim(const ls_match_table *table_list, uint32_t count)
{
    return (ls_sim)HARNESS_TABLES(components, systems, .player_count = 3, .options = options,
                                  .option_count = LS_COUNT_OF(options), .tables = table_list,
                                  .table_count = count);
}

static ls_world *make_world(const ls_program *program, uint64_t seed, int64_t size,
                            int64_t steepness)
{
    ls_world *world;
    ls_error error = {""};
    ls_match match = ls_program_match(program, seed);
    match.options[SIZE] = size;
    match.options[STEEPNESS] = steepness;
    if (ls_world_create(program, &match, &world, &error) != LS_OK)
        fail_msg("%s", error.text);
    return world;
}

TEST(test_match_data_is_what_the_tables_fill)
{
    harness self;
    uint32_t count;
    const ls_sim sim = make_sim(tables, 2);
    harness_begin(&self, &sim, 7);
    const tile *rows = ls_world_rows(self.world, &tile_component, &count);
    assert_int_equal(count, 100);
    assert_int_equal(rows[99].height, 99);
    assert_int_equal(rows[99].kind, 106);
    assert_int_equal(rows[99].untouched, 0);
    const spot *spot_rows = ls_world_rows(self.world, &spots, &count);
    assert_int_equal(count, 3);
    assert_int_equal(spot_rows[2].value, -9);
    harness_tick(self.world, NULL);
    const tally *total = ls_world_singleton(self.world, &tally_component);
    assert_int_equal(total->sum, 99 * 100 / 2);
    harness_end(&self);
}

TEST(test_match_data_is_shared_while_a_world_lives)
{
    harness self;
    uint32_t count;
    const ls_sim sim = make_sim(tables, 2);
    fills = 0;
    harness_begin(&self, &sim, 1);
    ls_world *same = harness_world(&self);
    assert_int_equal(fills, 1);
    assert_ptr_equal(ls_world_rows(self.world, &tile_component, &count),
                     ls_world_rows(same, &tile_component, &count));
    ls_world *other = make_world(self.program, 2, 100, 1);
    assert_int_equal(fills, 2);
    assert_ptr_not_equal(ls_world_rows(self.world, &tile_component, &count),
                         ls_world_rows(other, &tile_component, &count));
    ls_world_destroy(self.world);
    const tile *rows = ls_world_rows(same, &tile_component, &count);
    assert_int_equal(rows[99].height, 99);
    ls_world_destroy(same);
    self.world = make_world(self.program, 1, 100, 1);
    assert_int_equal(fills, 3);
    ls_world_destroy(other);
    harness_end(&self);
}

static uint64_t root_of(const ls_match_table *table_list, uint32_t count)
{
    harness self;
    const ls_sim sim = make_sim(table_list, count);
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    harness_end(&self);
    return root;
}

static void fill_more(const ls_match *match, void *rows, uint32_t count)
{
    fill_spots(match, rows, count);
    ((spot *)rows)[count - 1].value++;
}

static uint32_t count_more(const ls_match *match)
{
    return match->player_count + 1;
}

static void fill_nothing(const ls_match *match, void *rows, uint32_t count)
{
}

TEST(test_match_data_is_part_of_the_root)
{
    const ls_match_table other_row[] = {tables[0], {&spots, count_spots, fill_more}};
    const ls_match_table nothing[] = {tables[0], {&spots, count_spots, fill_nothing}};
    const ls_match_table more_nothing[] = {tables[0], {&spots, count_more, fill_nothing}};
    const uint64_t roots[] = {root_of(tables, 2), root_of(other_row, 2), root_of(nothing, 2),
                              root_of(more_nothing, 2), root_of(tables, 1)};
    for (uint32_t i = 0; i < LS_COUNT_OF(roots); i++) {
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(roots[i], roots[j]);
    }
    assert_int_equal(root_of(tables, 2), roots[0]);
    assert_int_equal(root_of(tables_reversed, 2), roots[0]);
}

/* A faulty simulation computes another map under the same fingerprint: snapshots of the two are not
 * compatible. */
static int32_t extra;

static void fill_differently(const ls_match *match, void *rows, uint32_t count)
{
    fill_spots(match, rows, count);
    ((spot *)rows)[0].value += extra;
}

TEST(test_match_data_is_checked_by_snapshots)
{
    harness self;
    size_t bytes;
    ls_error error;
    const ls_match_table impure[] = {{&spots, count_spots, fill_differently}};
    ls_sim sim = make_sim(impure, 1);
    sim.system_count = 0;
    harness_begin(&self, &sim, 1);
    uint8_t *snapshot = harness_bytes(self.world, &bytes);
    assert_int_equal(ls_world_decode(self.world, snapshot, bytes, &error), LS_OK);
    ls_match match = *ls_world_match(self.world);
    ls_world_destroy(self.world);
    extra = 1;
    assert_int_equal(ls_world_create(self.program, &match, &self.world, &error), LS_OK);
    extra = 0;
    assert_int_equal(ls_world_decode(self.world, snapshot, bytes, &error), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "of other match data"));
    ls_free(snapshot);
    harness_end(&self);
}

static uint32_t count_ten(const ls_match *match)
{
    return 10;
}

static bool note_place(void *argument, const ls_difference *difference)
{
    ls_builder *text = argument;
    ls_builder_add(text, "%s: %s | %s\n", difference->place, difference->a, difference->b);
    return true;
}

/* The map of another program, or of a fill() that does not depend on the match alone. */
TEST(test_match_data_that_differs_is_told_by_row)
{
    harness self, other;
    const ls_match_table good[] = {tables[0], {&spots, count_spots, fill_spots}};
    const ls_match_table bad[] = {{&spots, count_ten, fill_differently}, tables[0]};
    const ls_sim sim = make_sim(good, 2), other_sim = make_sim(bad, 2);
    harness_begin(&self, &sim, 1);
    extra = 5;
    harness_begin(&other, &other_sim, 1);
    extra = 0;
    ls_builder text = {0};
    ls_world_diff_tables(self.world, other.world, note_place, &text);
    assert_string_equal(text.data, "rows of match table spot: 3 | 10\n"
                                   "value in row 0 of match table spot: -1 | 4\n");
    ls_free(text.data);
    text = (ls_builder){0};
    uint32_t count;
    const void *rows = ls_world_rows(self.world, &tile_component, &count);
    ls_world_diff_rows(self.world, 0, rows, count, note_place, &text);
    assert_null(text.data);
    ls_world_diff_rows(self.world, 0, rows, count - 1, note_place, &text);
    assert_string_equal(text.data, "rows of match table tile: 100 | 99\n");
    ls_free(text.data);
    harness_end(&self);
    harness_end(&other);
}

/* The names of tables are compared with those of components, which may lack theirs. */
TEST(test_match_data_beside_components_without_names)
{
    static const ls_component nameless;
    const ls_component *const faulty[] = {&tally_component, NULL, &nameless};
    ls_sim sim = make_sim(tables, 2);
    sim.components = faulty;
    sim.component_count = LS_COUNT_OF(faulty);
    assert_refused(&sim, LS_ERROR_USAGE, "a component has no name");
}

TEST(test_match_data_knows_its_limit)
{
    harness self;
    ls_world *world;
    ls_error error;
    const ls_sim sim = make_sim(tables_reversed, 2);
    harness_begin(&self, &sim, 1);
    ls_match match = ls_program_match(self.program, 1);
    match.options[SIZE] = LS_MATCH_ROWS_MAX + 1;
    assert_int_equal(ls_world_create(self.program, &match, &world, &error), LS_ERROR_LIMIT);
    assert_null(world);
    assert_non_null(strstr(error.text, "\"tile\" wants 16777217 rows"));
    match.options[SIZE] = 0;
    assert_int_equal(ls_world_create(self.program, &match, &world, &error), LS_OK);
    uint32_t count = 9;
    ls_world_rows(world, &tile_component, &count);
    assert_int_equal(count, 0);
    ls_world_destroy(world);
    harness_end(&self);
}

static void ask_for_another_table(void *argument)
{
    uint32_t count;
    ls_world_rows(argument, &tally_component, &count);
}

static void ask_within_a_tick(ls_context *context, const ls_entity *entities)
{
    uint32_t count;
    ls_match_rows(context, &tally_component, &count);
}

static void one_tick(void *world)
{
    harness_tick(world, NULL);
}

TEST(test_match_data_names_the_system_that_asks_for_another_table)
{
    static const ls_system asking[] = {
        {.name = "ask", .mode = LS_SEQUENTIAL, .match = ask_within_a_tick}};
    harness self;
    ls_sim sim = make_sim(tables, 2);
    sim.systems = asking;
    sim.system_count = LS_COUNT_OF(asking);
    harness_begin(&self, &sim, 1);
    assert_dies(one_tick, self.world, "system \"ask\", tick 0", "match data table \"tally\"");
    harness_end(&self);
}

TEST(test_match_data_has_no_other_tables)
{
    harness self;
    const ls_sim sim = make_sim(tables, 2);
    harness_begin(&self, &sim, 1);
    assert_dies(ask_for_another_table, self.world, "\"tally\"", "no match data table");
    harness_end(&self);
}

TEST(test_match_data_tables_are_checked)
{
    static const ls_component tag = LS_TAG_TABLE("flat"),
                              event = LS_EVENT_TABLE(spot, "shot", spot_fields);
    static const ls_component holed = {"holed", 8, 1, spot_fields, false, false};
    const struct {
        ls_match_table table;
        const char *words[2];
    } cases[] = {
        {{NULL, count_spots, fill_spots}, {"lacks its row", "row"}},
        {{&spots, NULL, fill_spots}, {"lacks", "count"}},
        {{&spots, count_spots, NULL}, {"lacks", "fill"}},
        {{&tag, count_spots, fill_spots}, {"\"flat\"", "neither a tag"}},
        {{&event, count_spots, fill_spots}, {"\"shot\"", "nor"}},
        {{&tally_component, count_spots, fill_spots}, {"\"tally\"", "singleton"}},
        {{&holed, count_spots, fill_spots}, {"\"holed\"", "hole of 4 bytes"}},
        {{&tile_component, count_tiles, fill_tiles}, {"two match data tables", "\"tile\""}},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const ls_match_table list[] = {tables[0], cases[i].table};
        const ls_sim sim = make_sim(list, 2);
        assert_refused(&sim, LS_ERROR_USAGE, cases[i].words[0], cases[i].words[1]);
    }
    static const ls_component named = {"tally", 4, 1, spot_fields, false, false};
    const ls_match_table twin[] = {{&named, count_spots, fill_spots}};
    const ls_sim sim = make_sim(twin, 1);
    assert_refused(&sim, LS_ERROR_USAGE, "\"tally\" is a match data table and a component");
    static ls_match_table many[LS_MATCH_TABLES_MAX + 1];
    const ls_sim full = make_sim(many, LS_COUNT_OF(many));
    assert_refused(&full, LS_ERROR_LIMIT, "17 match data tables", "at most 16");
}

static void *come_and_go(void *argument)
{
    for (uint32_t i = 0; i < 200; i++)
        ls_world_destroy(make_world(argument, i % 3, 50, 1));
    return NULL;
}

TEST(test_match_data_serves_many_threads)
{
    harness self;
    pthread_t threads[4];
    const ls_sim sim = make_sim(tables, 2);
    harness_begin(&self, &sim, 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, self.program), 0);
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    harness_end(&self);
}
