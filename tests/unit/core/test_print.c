/* The printed notation: one column after another, absent cells empty, the next free entity at the
 * end. */
#include "harness.h"

#include "core/run/despawn.h"
#include "core/run/query.h"
#include "core/schedule/resolve_join.h"
#include "core/state/store.h"

typedef struct every {
    uint64_t u64;
    int64_t i64;
    ls_entity entity;
    uint32_t u32;
    int32_t i32;
    ls_fix fix;
    uint16_t u16;
    int16_t i16;
    uint16_t angle;
    uint8_t u8;
    int8_t i8;
    bool flag;
    uint8_t list[3];
} every;

typedef struct one {
    int32_t value;
} one;

static const ls_field every_fields[] = {
    LS_FIELD(every, u64, LS_TYPE_U64),       LS_FIELD(every, i64, LS_TYPE_I64),
    LS_FIELD(every, entity, LS_TYPE_ENTITY), LS_FIELD(every, u32, LS_TYPE_U32),
    LS_FIELD(every, i32, LS_TYPE_I32),       LS_FIELD(every, fix, LS_TYPE_FIX),
    LS_FIELD(every, u16, LS_TYPE_U16),       LS_FIELD(every, i16, LS_TYPE_I16),
    LS_FIELD(every, angle, LS_TYPE_ANGLE),   LS_FIELD(every, u8, LS_TYPE_U8),
    LS_FIELD(every, i8, LS_TYPE_I8),         LS_FIELD(every, flag, LS_TYPE_BOOL),
    LS_FIELD(every, list, LS_TYPE_U8),
};
static const ls_field one_fields[] = {LS_FIELD(one, value, LS_TYPE_I32)};
static const ls_field fix_fields[] = {LS_FIELD(one, value, LS_TYPE_FIX)};
static const ls_field entity_fields[] = {{"of", LS_TYPE_ENTITY, 0, 8, 0}};
static const ls_component everything = LS_COMPONENT_TABLE(every, "Every", every_fields);
static const ls_component positions = LS_COMPONENT_TABLE(one, "Pos", one_fields);
static const ls_component fixes = LS_COMPONENT_TABLE(one, "Fix", fix_fields);
static const ls_component children = LS_COMPONENT_TABLE(ls_entity, "ChildOf", entity_fields);
static const ls_component tag = LS_TAG_TABLE("Tag");
static const ls_component score = LS_SINGLETON_TABLE(one, "Score", one_fields);

static const char *const two_lanes[] = {"b", "a"};

static void begin(harness *self, const ls_component *const *components, uint32_t count,
                  uint32_t lanes)
{
    static ls_sim sim;
    sim = (ls_sim){.abi = LS_SIM_ABI,
                   .name = "print",
                   .version = "1",
                   .tick_rate = 1,
                   .player_count = 1,
                   .components = components,
                   .component_count = count,
                   .lanes = two_lanes,
                   .lane_count = lanes};
    harness_begin(self, &sim, 1);
    for (uint32_t column = 0; column <= ls_liveness(self->world); column++)
        ls_store_own(self->world, column);
}

static void assert_prints(const ls_world *world, const char *expected)
{
    char *text = ls_world_print(world);
    assert_string_equal(text, expected);
    ls_free(text);
}

TEST(test_print_is_the_notation_of_the_paper)
{
    static const ls_component *const components[] = {&positions, &children, &tag};
    harness self;
    begin(&self, components, LS_COUNT_OF(components), 1);
    assert_prints(self.world, "ChildOf→{} :+ Pos→{} :+ Tag→{} :+ Metadata {nextFresh = e0}");
    ls_entity e0 = ls_store_spawn(self.world, 1), e1 = ls_store_spawn(self.world, 1);
    ls_store_attach(self.world, 1, e0, &(one){1});
    ls_store_attach(self.world, 1, e1, &(one){-2});
    ls_store_attach(self.world, 0, e1, &e0);
    ls_store_attach(self.world, 0, e0, NULL);
    ls_store_attach(self.world, 2, e1, NULL);
    assert_prints(self.world, "ChildOf→{e0 ↦ ChildOf null, e1 ↦ ChildOf e0} :+ "
                              "Pos→{e0 ↦ Pos 1, e1 ↦ Pos (-2)} :+ Tag→{e1 ↦ Tag} :+ "
                              "Metadata {nextFresh = e2}");
    ls_despawn_marks_add(&self.world->scratch->marks[0], e0);
    ls_despawn_sweep(self.world);
    assert_prints(self.world, "ChildOf→{e1 ↦ ChildOf (dead e0)} :+ Pos→{e1 ↦ Pos (-2)} :+ "
                              "Tag→{e1 ↦ Tag} :+ Metadata {nextFresh = e0}");
    harness_end(&self);
}

TEST(test_print_names_lanes_when_there_are_several)
{
    static const ls_component *const components[] = {&children, &score};
    harness self;
    begin(&self, components, LS_COUNT_OF(components), 2);
    ls_entity a = ls_store_spawn(self.world, 1), b = ls_store_spawn(self.world, 2);
    ls_entity strange = ls_entity_make(9, 4, 1);
    ls_store_attach(self.world, 0, a, &b);
    ls_store_attach(self.world, 0, b, &strange);
    assert_prints(self.world, "ChildOf→{a/0 ↦ ChildOf b/0, b/0 ↦ ChildOf (dead ?/4)} :+ "
                              "Score→{Score 0} :+ Metadata {nextFresh = a/1, nextFresh = b/1}");
    harness_end(&self);
}

TEST(test_print_shows_every_type)
{
    static const ls_component *const components[] = {&everything};
    harness self;
    begin(&self, components, 1, 1);
    ls_entity e0 = ls_store_spawn(self.world, 1), e1 = ls_store_spawn(self.world, 1);
    const every low = {
        .i64 = INT64_MIN, .i32 = INT32_MIN, .fix = INT32_MIN, .i16 = INT16_MIN, .i8 = INT8_MIN};
    const every high = {UINT64_MAX, INT64_MAX,  e0,         UINT32_MAX, INT32_MAX,
                        INT32_MAX,  UINT16_MAX, INT16_MAX,  UINT16_MAX, UINT8_MAX,
                        INT8_MAX,   true,       {1, 2, 255}};
    ls_store_attach(self.world, 0, e0, &low);
    ls_store_attach(self.world, 0, e1, &high);
    assert_prints(
        self.world,
        "Every→{e0 ↦ Every {u64 = 0, i64 = -9223372036854775808, entity = null, u32 = 0, "
        "i32 = -2147483648, fix = -32768.00000, u16 = 0, i16 = -32768, angle = 0, u8 = 0, "
        "i8 = -128, flag = false, list = [0,0,0]}, "
        "e1 ↦ Every {u64 = 18446744073709551615, i64 = 9223372036854775807, entity = e0, "
        "u32 = 4294967295, i32 = 2147483647, fix = 32767.99998, u16 = 65535, i16 = 32767, "
        "angle = 65535, u8 = 255, i8 = 127, flag = true, list = [1,2,255]}} :+ "
        "Metadata {nextFresh = e2}");
    harness_end(&self);
}

TEST(test_print_tells_neighbouring_fixed_points_apart)
{
    static const ls_component *const components[] = {&fixes};
    static const struct {
        int32_t bits;
        const char *text;
    } cases[] = {{0, "0.00000"},        {1, "0.00002"},     {-1, "(-0.00002)"},
                 {2, "0.00003"},        {3, "0.00005"},     {32768, "0.50000"},
                 {65535, "0.99998"},    {65536, "1.00000"}, {-65536, "(-1.00000)"},
                 {-98304, "(-1.50000)"}};
    harness self;
    begin(&self, components, 1, 1);
    ls_entity entity = ls_store_spawn(self.world, 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "Fix→{e0 ↦ Fix %s} :+ Metadata {nextFresh = e1}",
                 cases[i].text);
        ls_store_attach(self.world, 0, entity, &(one){cases[i].bits});
        assert_prints(self.world, expected);
    }
    harness_end(&self);
}

typedef struct rich {
    ls_entity friends[3];
    ls_fix2 place;
    ls_fix2 steps[2];
    uint16_t friend_count;
    uint8_t mood;
    uint8_t old_mood;
    uint8_t fill[4];
} rich;

TEST(test_print_shows_what_is_in_use_by_name)
{
    static const char *const moods[] = {"calm", "angry"};
    static const ls_field rich_fields[] = {
        LS_FIELD_ITEMS(rich, friends, LS_TYPE_ENTITY, friend_count, LS_KEEP),
        LS_FIELD(rich, place, LS_TYPE_FIX2),
        LS_FIELD(rich, steps, LS_TYPE_FIX2),
        LS_FIELD_UP_TO(rich, friend_count, LS_TYPE_U16, 3),
        LS_FIELD_ENUM(rich, mood, moods),
        LS_FIELD_ENUM(rich, old_mood, moods),
        LS_FIELD(rich, fill, LS_TYPE_U8)};
    static const ls_component riches = LS_COMPONENT_TABLE(rich, "Rich", rich_fields);
    static const ls_field mood_fields[] = {{"m", LS_TYPE_ENUM, 0, 1, 1, moods}};
    static const ls_field place_fields[] = {{"p", LS_TYPE_FIX3, 0, 12}};
    static const ls_component mood = {"Mood", 1, 1, mood_fields};
    static const ls_component place = {"Place", 12, 1, place_fields};
    static const ls_component noise = LS_EVENT_TABLE(one, "Noise", one_fields);
    static const ls_component *const components[] = {&riches, &mood, &noise, &place};
    harness self;
    begin(&self, components, LS_COUNT_OF(components), 1);
    ls_entity e0 = ls_store_spawn(self.world, 1), e1 = ls_store_spawn(self.world, 1);
    ls_despawn_marks_add(&self.world->scratch->marks[0], e1);
    ls_despawn_sweep(self.world);
    const rich value = {.friends = {e0, e1, e0},
                        .place = {LS_FIX(0.5), LS_FIX(-2)},
                        .steps = {{1, 0}},
                        .friend_count = 2,
                        .mood = 1,
                        .old_mood = 9};
    ls_store_attach(self.world, ls_program_find_column(self.program, &riches), e0, &value);
    ls_store_attach(self.world, ls_program_find_column(self.program, &mood), e0, &(uint8_t){1});
    ls_store_attach(self.world, ls_program_find_column(self.program, &place), e0,
                    &(ls_fix3){LS_FIX(0.5), LS_FIX(-2), 1});
    assert_prints(self.world,
                  "Mood→{e0 ↦ Mood angry} :+ Place→{e0 ↦ Place (0.50000, -2.00000, 0.00002)} :+ "
                  "Rich→{e0 ↦ Rich {friends = [e0,dead e1], place = (0.50000, -2.00000), "
                  "steps = [(0.00002, 0.00000),(0.00000, 0.00000)], friend_count = 2, "
                  "mood = angry, old_mood = 9, fill = [0,0,0,0]}} :+ Metadata {nextFresh = e1}");
    harness_end(&self);
}

TEST(test_print_of_one_component)
{
    static const ls_component *const components[] = {&positions, &score};
    harness self;
    begin(&self, components, 2, 1);
    ls_store_attach(self.world, 0, ls_store_spawn(self.world, 1), &(one){4});
    char *text = ls_world_print_component(self.world, &positions);
    assert_string_equal(text, "Pos→{e0 ↦ Pos 4}");
    ls_free(text);
    harness_end(&self);
}

TEST(test_print_grows_with_the_world)
{
    static const ls_component *const components[] = {&positions};
    harness self;
    begin(&self, components, 1, 1);
    for (int32_t i = 0; i < 2000; i++)
        ls_store_attach(self.world, 0, ls_store_spawn(self.world, 1), &(one){i});
    char *text = ls_world_print(self.world);
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, "↦ Pos ")); at++) {
        assert_int_equal(strtol(at + strlen("↦ Pos "), NULL, 10), count);
        count++;
    }
    assert_int_equal(count, 2000);
    assert_non_null(strstr(text, "nextFresh = e2000}"));
    ls_free(text);
    harness_end(&self);
}

TEST(test_print_passes_over_retired_slots)
{
    static const ls_component *const components[] = {&tag};
    harness self;
    begin(&self, components, 1, 1);
    ls_store_spawn(self.world, 1);
    uint32_t liveness = ls_liveness(self.world);
    ls_page *page =
        ls_table_write(*ls_world_table(self.world, liveness, 1), 0, &self.world->sources[liveness]);
    ((uint32_t *)(void *)ls_page_cells(page))[1] = LS_GENERATION_RETIRED;
    assert_prints(self.world, "Tag→{} :+ Metadata {nextFresh = e2}");
    harness_end(&self);
}
