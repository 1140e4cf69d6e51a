/* JSON output and input: exact in both directions. Every wrong text is refused with an error that
 * names the fault, and the world is unchanged. */
#include "every_sim.h"
#include "harness.h"

#include "core/run/despawn.h"
#include "core/schedule/resolve_join.h"
#include "core/state/store.h"
#include <lockstep/json.h>

#include <inttypes.h>

static void assert_reads(ls_world *world, const char *text)
{
    ls_error error = {""};
    if (ls_world_from_json(world, text, strlen(text), &error) != LS_OK)
        fail_msg("%s", error.text);
}

/* Creates a small state in which every byte is known. */
static void fill_by_hand(ls_world *world)
{
    every_fill(world, 1, 0);
    uint32_t mixed = ls_program_find_column(world->program, &every_mixeds);
    uint32_t parent = ls_program_find_column(world->program, &every_parents);
    uint32_t tag = ls_program_find_column(world->program, &every_tags);
    uint32_t score = ls_program_find_column(world->program, &every_score);
    ls_entity a = ls_store_spawn(world, 1), b = ls_store_spawn(world, 1);
    ls_entity glow = ls_store_spawn(world, 2);
    ls_despawn_marks_add(&world->scratch->marks[0], b);
    ls_despawn_sweep(world);
    const every_mixed cell = {.u64 = UINT64_MAX,
                              .i64 = INT64_MIN,
                              .target = b,
                              .friends = {a, glow},
                              .u32 = UINT32_MAX,
                              .i32 = INT32_MIN,
                              .fix = LS_FIX(-1.5),
                              .place = {1, LS_FIX_MIN},
                              .steps = {{LS_FIX_MAX, LS_FIX(2)}},
                              .u16 = UINT16_MAX,
                              .i16 = -1,
                              .angle = 7,
                              .friend_count = 2,
                              .step_count = 1,
                              .u8 = 200,
                              .i8 = INT8_MIN,
                              .flag = true,
                              .mood = 1,
                              .list = {1, 2, 3, 4, 5, 255}};
    const ls_entity strange = UINT64_C(0x00000007ff000001);
    ls_store_attach(world, mixed, a, &cell);
    ls_store_attach(world, parent, a, NULL);
    ls_store_attach(world, parent, glow, &strange);
    ls_store_attach(world, tag, glow, NULL);
    memset(ls_page_cells(ls_world_page(world, score, 0, 0)), 0, sizeof cell);
    world->state.tick = 12;
    world->state.refused_spawns[0] = world->state.refused_spawns[1] = 0;
    world->state.refused_spawns[2] = UINT64_MAX;
    world->state.dropped[LS_DROPPED_COMMANDS] = 3;
    world->state.dropped[LS_DROPPED_EVENTS] = 0;
    world->state.dropped[LS_DROPPED_VALUES] = 0;
}

#define NOTHING                                                                                    \
    "{\"u64\": \"0\", \"i64\": \"0\", \"target\": null, \"friends\": [], \"u32\": 0, \"i32\": 0, " \
    "\"fix\": 0, \"place\": [0, 0], \"steps\": [], \"u16\": 0, \"i16\": 0, \"angle\": 0, "         \
    "\"friend_count\": 0, \"step_count\": 0, \"u8\": 0, \"i8\": 0, \"flag\": false, "              \
    "\"mood\": \"calm\", \"list\": [0, 0, 0, 0, 0, 0]}"
static const char by_hand[] =
    "{\n"
    "  \"format\": 1,\n"
    "  \"simulation\": \"every\",\n"
    "  \"match\": {\"seed\": \"1\", \"tick_rate\": 10, \"players\": 2, "
    "\"options\": {\"size\": \"3\"}},\n"
    "  \"tick\": \"12\",\n"
    "  \"dropped\": {\"commands\": \"3\", \"events\": \"0\", \"values\": \"0\"},\n"
    "  \"lanes\": {\n"
    "    \"world\": {\"refused_spawns\": \"0\", \"generations\": []},\n"
    "    \"beasts\": {\"refused_spawns\": \"0\", \"generations\": [1, 2]},\n"
    "    \"glow/\\\"2\\\"\": {\"refused_spawns\": \"18446744073709551615\", \"generations\": [1]}\n"
    "  },\n"
    "  \"components\": {\n"
    "    \"mixed\": {\n"
    "      \"beasts/0:1\": {\"u64\": \"18446744073709551615\", \"i64\": \"-9223372036854775808\", "
    "\"target\": \"beasts/1:1\", \"friends\": [\"beasts/0:1\", \"glow/\\\"2\\\"/0:1\"], "
    "\"u32\": 4294967295, \"i32\": -2147483648, \"fix\": -1.5, \"place\": [0.00002, -32768], "
    "\"steps\": [[32767.99998, 2]], \"u16\": 65535, \"i16\": -1, \"angle\": 7, "
    "\"friend_count\": 2, \"step_count\": 1, \"u8\": 200, \"i8\": -128, \"flag\": true, "
    "\"mood\": \"ang\\\"ry\", \"list\": [1, 2, 3, 4, 5, 255]}\n"
    "    },\n"
    "    \"number\": {},\n"
    "    \"parent\": {\n"
    "      \"beasts/0:1\": {\"of\": null},\n"
    "      \"glow/\\\"2\\\"/0:1\": {\"of\": \"0x00000007ff000001\"}\n"
    "    },\n"
    "    \"score\": " NOTHING ",\n"
    "    \"tag\": {\n"
    "      \"glow/\\\"2\\\"/0:1\": {}\n"
    "    }\n"
    "  }\n"
    "}";

TEST(test_json_is_the_text_that_the_header_promises)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    fill_by_hand(self.world);
    char *text = ls_world_json(self.world);
    assert_string_equal(text, by_hand);
    ls_free(text);
    ls_world *other = harness_world(&self);
    assert_reads(other, by_hand);
    assert_int_equal(ls_world_root(other), ls_world_root(self.world));
    ls_world_destroy(other);
    harness_end(&self);
}

TEST(test_json_gives_back_the_same_state)
{
    uint64_t seed = harness_seed("test_json_gives_back_the_same_state");
    uint32_t rounds = getenv("LOCKSTEP_LONG") ? 2000 : 60;
    harness self;
    harness_begin(&self, &every_sim, 1);
    ls_world *other = harness_world(&self);
    for (uint32_t i = 0; i < rounds; i++) {
        uint64_t round_seed = test_random(&seed);
        size_t count, other_count;
        every_fill(self.world, round_seed, test_below(&seed, 600));
        char *text = ls_world_json(self.world);
        assert_reads(other, text);
        uint8_t *bytes = harness_bytes(self.world, &count);
        uint8_t *other_bytes = harness_bytes(other, &other_count);
        if (count != other_count || memcmp(bytes, other_bytes, count) != 0)
            fail_msg("round %u, seed %" PRIu64 ": the state is another one", i, round_seed);
        char *again = ls_world_json(other);
        assert_string_equal(text, again);
        ls_free(text);
        ls_free(again);
        ls_free(bytes);
        ls_free(other_bytes);
    }
    ls_world_destroy(other);
    harness_end(&self);
}

/* A system that does not use include/lockstep/items.h may leave nonzero values after the used
 * items. */
TEST(test_json_keeps_what_lies_behind_the_items)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    fill_by_hand(self.world);
    uint32_t mixed = ls_program_find_column(self.world->program, &every_mixeds);
    every_mixed *cell = ls_store_write(self.world, mixed, ls_entity_make(1, 0, 1));
    cell->steps[2].y = LS_FIX(0.5);
    char *text = ls_world_json(self.world);
    assert_non_null(strstr(text, "\"steps\": [[32767.99998, 2], [0, 0], [0, 0.5]], "));
    ls_world *other = harness_world(&self);
    assert_reads(other, text);
    assert_int_equal(ls_world_root(other), ls_world_root(self.world));
    ls_free(text);
    ls_world_destroy(other);
    harness_end(&self);
}

LS_COMPONENT(flight, FIX3(at), FIX3_ITEMS(trail, 2));
LS_COMPONENTS(flights, flight);

TEST(test_json_vectors_of_three_read_back)
{
    static const char *const lanes[] = {"a"};
    static const ls_sim sim = {.abi = LS_SIM_ABI,
                               .name = "flights",
                               .version = "1",
                               .tick_rate = 10,
                               .player_count = 1,
                               .components = flights,
                               .component_count = LS_COUNT_OF(flights),
                               .lanes = lanes,
                               .lane_count = LS_COUNT_OF(lanes)};
    static const char wanted[] = "{\"at\": [0.5, -32768, 3], \"trail\": [[0, 0, 1]], ";
    harness self;
    harness_begin(&self, &sim, 1);
    const flight cell = {
        .at = {LS_FIX(0.5), LS_FIX_MIN, LS_FIX(3)}, .trail = {{0, 0, LS_FIX(1)}}, .trail_count = 1};
    ls_store_attach(self.world, 0, ls_store_spawn(self.world, 1), &cell);
    char *text = ls_world_json(self.world), *at = strstr(text, wanted);
    assert_non_null(at);
    ls_world *other = harness_world(&self);
    assert_reads(other, text);
    assert_int_equal(ls_world_root(other), ls_world_root(self.world));
    ls_error error = {""};
    memcpy(strstr(at, ", 3]"), "   ]", 4);
    assert_int_equal(ls_world_from_json(other, text, strlen(text), &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "no array of three numbers"));
    ls_free(text);
    ls_world_destroy(other);
    harness_end(&self);
}

/* Every ls_fix reads back from its own text; any other text gives the nearest value. */
TEST(test_json_reads_fixed_points_to_the_nearest)
{
    static const struct {
        const char *text;
        ls_fix value;
    } cases[] = {{"0.1", LS_FIX(0.1)}, {"-0.1", LS_FIX(-0.1)}, {"1e2", LS_FIX(100)},
                 {"3", LS_FIX(3)},     {"0.0000001", 0},       {"-32768", LS_FIX_MIN},
                 {"0.00001", 1},       {"-0.00001", -1},       {"32767.99998", LS_FIX_MAX}};
    static const char field[] = "\"fix\": 0, ";
    harness self;
    harness_begin(&self, &every_sim, 1);
    const char *at = strstr(by_hand, field);
    assert_non_null(at);
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char text[sizeof by_hand + 64];
        snprintf(text, sizeof text, "%.*s\"fix\": %s, %s", (int)(at - by_hand), by_hand,
                 cases[i].text, at + strlen(field));
        assert_reads(self.world, text);
        const every_mixed *score = ls_world_singleton(self.world, &every_score);
        assert_int_equal(score->fix, cases[i].value);
    }
    harness_end(&self);
}

/* Replaces the first `from` in the text; the message must contain `words`. */
static const struct {
    const char *from, *to;
    ls_status status;
    const char *words[3];
} damages[] = {
    {"\"format\": 1", "\"format\": 2", LS_ERROR_INCOMPATIBLE, {"format 1"}},
    {"\"every\"", "\"other\"", LS_ERROR_INCOMPATIBLE, {"\"other\"", "\"every\""}},
    {"\"simulation\"", "\"sim\"", LS_ERROR_CORRUPT, {"no simulation"}},
    {"\"seed\": \"1\"",
     "\"seed\": \"2\"",
     LS_ERROR_INCOMPATIBLE,
     {"another match", "another seed"}},
    {"\"players\": 2", "\"players\": 3", LS_ERROR_INCOMPATIBLE, {"another players"}},
    {"\"size\": \"3\"", "\"size\": -4", LS_ERROR_INCOMPATIBLE, {"another size"}},
    {"\"size\"", "\"weight\"", LS_ERROR_CORRUPT, {"no option \"weight\""}},
    {"\"tick\": \"12\"",
     "\"tick\": \"12x\"",
     LS_ERROR_CORRUPT,
     {"field \"tick\": this is no integer"}},
    {"\"tick\": \"12\"", "\"tick\": -1", LS_ERROR_CORRUPT, {"-1 is out of range"}},
    {"\"tick\": \"12\"", "\"tick\": \"9223372036854775808\"", LS_ERROR_CORRUPT, {"out of range"}},
    {"\"tick\": \"12\"", "\"tick\": \"18446744073709551616\"", LS_ERROR_CORRUPT, {"no integer"}},
    {"\"events\"", "\"commands\"", LS_ERROR_CORRUPT, {"line 6", "duplicate"}},
    {"\"beasts\": {", "\"beast\": {", LS_ERROR_CORRUPT, {"no lane \"beast\""}},
    {"[1, 2]", "[1, 2, -1]", LS_ERROR_CORRUPT, {"\"beasts\"", "slot 2", "generation"}},
    {"[1, 2]", "[1, 4294967295]", LS_ERROR_CORRUPT, {"\"beasts\"", "slot 1"}},
    {"[1, 2]", "[1, 1.0]", LS_ERROR_CORRUPT, {"slot 1"}},
    {"\"refused_spawns\": \"0\", \"generations\": [1, 2]",
     "\"refused_spawns\": null, \"generations\": [1, 2]",
     LS_ERROR_CORRUPT,
     {"lane \"beasts\", field \"refused_spawns\"", "no integer"}},
    {"\"commands\": \"3\"", "\"commands\": []", LS_ERROR_CORRUPT, {"field \"commands\""}},
    {"[1, 2]", "7", LS_ERROR_CORRUPT, {"\"beasts\"", "no array"}},
    {"[1, 2]", "[0, 2]", LS_ERROR_CORRUPT, {"\"mixed\"", "\"beasts/0:1\"", "not alive"}},
    {"[1, 2]", "[3, 2]", LS_ERROR_CORRUPT, {"\"mixed\"", "\"beasts/0:1\"", "not alive"}},
    {"\"number\": {}", "\"numbers\": {}", LS_ERROR_CORRUPT, {"no component \"numbers\""}},
    {"\"number\": {},", "", LS_ERROR_CORRUPT, {"component \"number\" is missing"}},
    {"\"number\": {}", "\"number\": 1", LS_ERROR_CORRUPT, {"component \"number\"", "no object"}},
    {"\"number\": {}",
     "\"number\": {\"beasts/0:1\": {\"value\": 1, \"x\\n\": 2}}",
     LS_ERROR_CORRUPT,
     {"component \"number\", entity \"beasts/0:1\"", "no field \"x?\""}},
    {"\"number\": {}",
     "\"number\": {\"beasts/0:1\": {}}",
     LS_ERROR_CORRUPT,
     {"component \"number\", entity \"beasts/0:1\"", "field \"value\" is missing"}},
    {"\"number\": {}",
     "\"number\": {\"beasts/1:2\": {\"value\": 1}}",
     LS_ERROR_CORRUPT,
     {"entity \"beasts/1:2\"", "not alive"}},
    {"\"number\": {}",
     "\"number\": {\"beasts/00:1\": {\"value\": 1}}",
     LS_ERROR_CORRUPT,
     {"entity \"beasts/00:1\"", "names no entity"}},
    {"\"number\": {}",
     "\"number\": {\"0x0000000101000000\": {\"value\": 1}}",
     LS_ERROR_CORRUPT,
     {"names no entity"}},
    {"\"number\": {}",
     "\"number\": {\"beasts/16777216:1\": {\"value\": 1}}",
     LS_ERROR_CORRUPT,
     {"names no entity"}},
    {"\"number\": {}",
     "\"number\": {\"beasts/0:1\": {\"value\": 1}, \"beasts/0:1\": {\"value\": 1}}",
     LS_ERROR_CORRUPT,
     {"duplicate"}},
    {"\"number\": {}", "\"number\": {\"\\u0000\": 1}", LS_ERROR_CORRUPT, {"line 16"}},
    {"\"u32\": 4294967295",
     "\"u32\": 4294967296",
     LS_ERROR_CORRUPT,
     {"component \"mixed\", entity \"beasts/0:1\", field \"u32\"", "out of range", "4294967295"}},
    {"\"u32\": 4294967295", "\"u32\": \"1\"", LS_ERROR_CORRUPT, {"field \"u32\"", "no integer"}},
    {"\"i32\": -2147483648", "\"i32\": -2147483649", LS_ERROR_CORRUPT, {"ends at -2147483648"}},
    {"\"i16\": -1", "\"i16\": 32768", LS_ERROR_CORRUPT, {"ends at 32767"}},
    {"\"i8\": -128", "\"i8\": 1.0", LS_ERROR_CORRUPT, {"field \"i8\"", "no integer"}},
    {"\"u8\": 200", "\"u8\": 201", LS_ERROR_CORRUPT, {"field \"u8\"", "ends at 200"}},
    {"\"u8\": 200", "\"u8\": -1", LS_ERROR_CORRUPT, {"field \"u8\"", "-1 is out of range"}},
    {"-9223372036854775808", "-9223372036854775809", LS_ERROR_CORRUPT, {"field \"i64\""}},
    {"-9223372036854775808", "--1", LS_ERROR_CORRUPT, {"field \"i64\"", "no integer"}},
    {"\"fix\": -1.5", "\"fix\": \"-1.5\"", LS_ERROR_CORRUPT, {"field \"fix\"", "no number"}},
    {"\"fix\": -1.5", "\"fix\": 32768", LS_ERROR_CORRUPT, {"field \"fix\"", "out of range"}},
    {"\"fix\": -1.5", "\"fix\": -1e300", LS_ERROR_CORRUPT, {"field \"fix\"", "out of range"}},
    {"[0.00002, -32768]", "[1, 2, 3]", LS_ERROR_CORRUPT, {"field \"place\"", "two numbers"}},
    {"[0.00002, -32768]", "[1, null]", LS_ERROR_CORRUPT, {"field \"place\"", "no number"}},
    {"\"flag\": true", "\"flag\": 1", LS_ERROR_CORRUPT, {"field \"flag\"", "true nor false"}},
    {"\"ang\\\"ry\"", "\"sad\"", LS_ERROR_CORRUPT, {"field \"mood\"", "\"sad\""}},
    {"\"ang\\\"ry\"", "1", LS_ERROR_CORRUPT, {"field \"mood\"", "name of a value"}},
    {"\"beasts/1:1\"", "\"goats/1:1\"", LS_ERROR_CORRUPT, {"field \"target\"", "\"goats/1:1\""}},
    {"\"beasts/1:1\"", "\"beasts1:1\"", LS_ERROR_CORRUPT, {"field \"target\"", "names no entity"}},
    {"\"beasts/1:1\"", "\"beasts/1\"", LS_ERROR_CORRUPT, {"field \"target\"", "names no entity"}},
    {"\"beasts/1:1\"", "7", LS_ERROR_CORRUPT, {"field \"target\"", "neither null"}},
    {"5, 255]", "5]", LS_ERROR_CORRUPT, {"field \"list\"", "5 items, there are 6"}},
    {"5, 255]", "5, 6, 7]", LS_ERROR_CORRUPT, {"field \"list\"", "7 items"}},
    {"5, 255]", "5, 256]", LS_ERROR_CORRUPT, {"field \"list\"", "ends at 255"}},
    {"[1, 2, 3, 4, 5, 255]", "{}", LS_ERROR_CORRUPT, {"field \"list\"", "no array"}},
    {"[[32767.99998, 2]]", "[[1,1],[1,1],[1,1],[1,1],[1,1]]", LS_ERROR_CORRUPT, {"at most 4"}},
    {"[[32767.99998, 2]]", "[]", LS_ERROR_CORRUPT, {"field \"steps\"", "\"step_count\" says 1"}},
    {"\"friend_count\": 2", "\"friend_count\": 4", LS_ERROR_CORRUPT, {"\"friend_count\"", "at 3"}},
    {"\"score\": {", "\"score\": [{", LS_ERROR_CORRUPT, {"line"}},
    {"{\"of\": null}", "null", LS_ERROR_CORRUPT, {"component \"parent\"", "no object"}},
    {"{\n", "{\n\"more\": 1,", LS_ERROR_CORRUPT, {"no member of the state \"more\""}},
    {"{\n", "", LS_ERROR_CORRUPT, {"line 1"}},
};

TEST(test_json_refuses_what_is_wrong_by_its_name)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    every_fill(self.world, 5, 300);
    uint64_t root = ls_world_root(self.world);
    for (uint32_t i = 0; i < LS_COUNT_OF(damages); i++) {
        char text[sizeof by_hand + 256];
        const char *at = strstr(by_hand, damages[i].from);
        ls_error error = {""};
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - by_hand), by_hand, damages[i].to,
                 at + strlen(damages[i].from));
        ls_status status = ls_world_from_json(self.world, text, strlen(text), &error);
        if (status != damages[i].status)
            fail_msg("damage %u, \"%s\": status %d, \"%s\"", i, damages[i].to, status, error.text);
        for (uint32_t word = 0; word < 3 && damages[i].words[word]; word++) {
            if (!strstr(error.text, damages[i].words[word]))
                fail_msg("damage %u, \"%s\": \"%s\"", i, damages[i].to, error.text);
        }
        assert_int_equal(ls_world_from_json(self.world, text, strlen(text), NULL), status);
        assert_int_equal(ls_world_root(self.world), root);
    }
    assert_reads(self.world, by_hand);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

/* After a successful or refused read, writes must not change the pages that a snapshot shares. */
TEST(test_json_leaves_snapshots_alone)
{
    static const char *const texts[] = {by_hand, "{\"simulation\": \"every\", \"format\": 1}"};
    harness self;
    harness_begin(&self, &every_sim, 1);
    every_fill(self.world, 5, 300);
    uint64_t root = ls_world_root(self.world);
    for (uint32_t i = 0; i < LS_COUNT_OF(texts); i++) {
        ls_snapshot *snapshot = ls_world_snapshot(self.world);
        ls_status status = ls_world_from_json(self.world, texts[i], strlen(texts[i]), NULL);
        assert_int_equal(status, i == 0 ? LS_OK : LS_ERROR_CORRUPT);
        every_fill(self.world, 6, 300);
        assert_int_not_equal(ls_world_root(self.world), root);
        ls_world_restore(self.world, snapshot);
        ls_world *other = harness_world(&self);
        char *text = ls_world_json(self.world);
        assert_reads(other, text);
        assert_int_equal(ls_world_root(other), root);
        ls_free(text);
        ls_world_destroy(other);
        ls_snapshot_destroy(snapshot);
    }
    harness_end(&self);
}

TEST(test_json_is_bounded)
{
    harness self;
    ls_error error;
    harness_begin(&self, &every_sim, 1);
    size_t bytes = LS_JSON_BYTES_MAX;
    char *text = ls_alloc(bytes + 1);
    memset(text, '[', bytes + 1);
    assert_int_equal(ls_world_from_json(self.world, text, bytes + 1, &error), LS_ERROR_LIMIT);
    assert_int_equal(ls_world_from_json(self.world, text, bytes, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "depth"));
    assert_int_equal(ls_world_from_json(self.world, text, 0, &error), LS_ERROR_CORRUPT);
    ls_free(text);
    harness_end(&self);
}

/* 4 KiB cells, one per page: a short text that would fill the machine's memory. */
TEST(test_json_refuses_to_fill_the_memory)
{
    static const ls_field fields[] = {{"count", LS_TYPE_U16, 0, 2, 2047},
                                      {"items", LS_TYPE_U16, 2, 4094, 0, NULL, LS_KEEP, "count"}};
    static const ls_component wide = {"wide", 4096, 2, fields, false, false};
    static const ls_component *const components[] = {&wide};
    static const ls_sim sim = {.abi = LS_SIM_ABI,
                               .name = "wide",
                               .version = "1",
                               .tick_rate = 1,
                               .player_count = 1,
                               .components = components,
                               .component_count = 1};
    enum { PAGES = 400, TEXT_BYTES = PAGES * (2 * LS_PAGE_SLOTS + 64) + 1024 };
    harness self;
    ls_error error;
    harness_begin(&self, &sim, 1);
    char *text = ls_alloc(TEXT_BYTES);
    size_t count = (size_t)snprintf(
        text, TEXT_BYTES,
        "{\"format\":1,\"simulation\":\"wide\",\"match\":{\"seed\":1,\"tick_rate\":1,\"players\":1,"
        "\"options\":{}},\"tick\":0,\"dropped\":{\"commands\":0,\"events\":0,\"values\":0},"
        "\"lanes\":{\"world\":{\"refused_spawns\":0,\"generations\":[1");
    for (uint32_t slot = 1; slot < PAGES * LS_PAGE_SLOTS; slot++)
        count += (size_t)snprintf(text + count, TEXT_BYTES - count, ",1");
    count += (size_t)snprintf(text + count, TEXT_BYTES - count, "]}},\"components\":{\"wide\":{");
    for (uint32_t page = 0; page < PAGES; page++)
        count += (size_t)snprintf(text + count, TEXT_BYTES - count,
                                  "%s\"world/%u:1\":{\"count\":0,\"items\":[]}", page ? "," : "",
                                  page * LS_PAGE_SLOTS);
    count += (size_t)snprintf(text + count, TEXT_BYTES - count, "}}}");
    assert_true(count < TEXT_BYTES - 1);
    assert_int_equal(ls_world_from_json(self.world, text, count, &error), LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "component \"wide\", entity \"world/"));
    ls_free(text);
    harness_end(&self);
}
