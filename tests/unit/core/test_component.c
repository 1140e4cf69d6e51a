#include "harness.h"

#define CHECK(component, status, ...)                                                              \
    check(component, status, (const char *const[]){__VA_ARGS__, NULL}, __LINE__)

static void check(const ls_component *component, ls_status status, const char *const *words,
                  int line)
{
    ls_error error = {""};
    ls_status found = ls_component_check(component, &error);
    if (found != status)
        fail_msg("line %d: status %d, \"%s\"", line, found, error.text);
    for (; *words; words++) {
        if (!strstr(error.text, *words))
            fail_msg("line %d: \"%s\" is not in \"%s\"", line, *words, error.text);
    }
    assert_int_equal(ls_component_check(component, NULL), status);
}

typedef struct mixed {
    uint64_t wide;
    uint32_t array[3];
    uint16_t half;
    uint8_t byte;
    bool flag;
} mixed;

TEST(test_component_accepts_fields_without_a_hole)
{
    static const ls_field fields[] = {
        LS_FIELD(mixed, wide, LS_TYPE_U64), LS_FIELD(mixed, array, LS_TYPE_U32),
        LS_FIELD(mixed, half, LS_TYPE_U16), LS_FIELD(mixed, byte, LS_TYPE_U8),
        LS_FIELD(mixed, flag, LS_TYPE_BOOL)};
    const ls_component component = LS_COMPONENT_TABLE(mixed, "mixed", fields);
    const ls_component single = LS_SINGLETON_TABLE(mixed, "single", fields);
    const ls_component tag = LS_TAG_TABLE("tag");
    CHECK(&component, LS_OK, "");
    CHECK(&single, LS_OK, "");
    CHECK(&tag, LS_OK, "");
    assert_int_equal(component.bytes, sizeof(mixed));
    assert_int_equal(fields[1].bytes, 12);
}

typedef struct holed {
    uint8_t front;
    uint32_t middle;
    uint16_t end;
} holed;

TEST(test_component_names_the_hole)
{
    static const ls_field all[] = {LS_FIELD(holed, front, LS_TYPE_U8),
                                   LS_FIELD(holed, middle, LS_TYPE_U32),
                                   LS_FIELD(holed, end, LS_TYPE_U16)};
    const ls_component middle = LS_COMPONENT_TABLE(holed, "holed", all);
    CHECK(&middle, LS_ERROR_USAGE, "\"holed\"", "hole of 3 bytes", "before field \"middle\"",
          "offset 1");
    const ls_component front = {"holed", sizeof(holed), 2, all + 1, false};
    CHECK(&front, LS_ERROR_USAGE, "hole of 4 bytes", "before field \"middle\"", "offset 0");
    static const ls_field filled[] = {{"front", LS_TYPE_U8, 0, 1, 0},
                                      {"fill", LS_TYPE_U8, 1, 3, 0},
                                      {"middle", LS_TYPE_U32, 4, 4, 0},
                                      {"end", LS_TYPE_U16, 8, 2, 0}};
    const ls_component end = LS_COMPONENT_TABLE(holed, "holed", filled);
    CHECK(&end, LS_ERROR_USAGE, "hole of 2 bytes at its end", "offset 10 of 12");
    const ls_component none = {"none", 4, 0, NULL, false};
    CHECK(&none, LS_ERROR_USAGE, "hole of 4 bytes at its end");
}

TEST(test_component_refuses_overlap_and_excess)
{
    static const ls_field overlap[] = {{"a", LS_TYPE_U32, 0, 4, 0}, {"b", LS_TYPE_U32, 2, 4, 0}};
    const ls_component overlapping = {"c", 6, 2, overlap, false};
    CHECK(&overlapping, LS_ERROR_USAGE, "\"b\"", "offset 2", "overlaps");
    static const ls_field twice[] = {{"a", LS_TYPE_U32, 0, 4, 0}, {"a", LS_TYPE_U32, 0, 4, 0}};
    const ls_component doubled = {"c", 4, 2, twice, false};
    CHECK(&doubled, LS_ERROR_USAGE, "overlaps");
    static const ls_field disorder[] = {{"b", LS_TYPE_U32, 4, 4, 0}, {"a", LS_TYPE_U32, 0, 4, 0}};
    const ls_component disordered = {"c", 8, 2, disorder, false};
    CHECK(&disordered, LS_ERROR_USAGE, "before field \"b\"");
    static const ls_field beyond[] = {{"a", LS_TYPE_U32, 0, 4, 0}, {"b", LS_TYPE_U32, 4, 8, 0}};
    const ls_component exceeding = {"c", 8, 2, beyond, false};
    CHECK(&exceeding, LS_ERROR_USAGE, "\"b\"", "beyond the 8");
    static const ls_field wrapping[] = {{"a", LS_TYPE_U32, 0, 0xfffffffc, 0},
                                        {"b", LS_TYPE_U32, 0xfffffffc, 8, 0}};
    const ls_component wrapped = {"c", 4, 2, wrapping, false};
    CHECK(&wrapped, LS_ERROR_USAGE, "\"a\"", "beyond the 4");
}

TEST(test_component_refuses_wrong_types)
{
    static const ls_field odd[] = {{"odd", LS_TYPE_U32, 0, 6, 0}};
    const ls_component no_multiple = {"c", 6, 1, odd, false};
    CHECK(&no_multiple, LS_ERROR_USAGE, "\"odd\"", "6 bytes", "u32");
    static const ls_field empty[] = {{"void", LS_TYPE_U8, 0, 0, 0}};
    const ls_component nothing = {"c", 0, 1, empty, false};
    CHECK(&nothing, LS_ERROR_USAGE, "\"void\"");
    static const ls_field strange[] = {{"strange", (ls_type)99, 0, 4, 0}};
    const ls_component unknown = {"c", 4, 1, strange, false};
    CHECK(&unknown, LS_ERROR_USAGE, "\"strange\"", "no type");
    static const ls_field nameless[] = {{NULL, LS_TYPE_U8, 0, 4, 0}};
    const ls_component unnamed = {"c", 4, 1, nameless, false};
    CHECK(&unnamed, LS_ERROR_USAGE, "has no name");
}

TEST(test_component_keeps_its_limits)
{
    static ls_field fields[LS_COMPONENT_FIELDS_MAX + 1];
    static char names[LS_COUNT_OF(fields)][8];
    for (uint32_t i = 0; i < LS_COUNT_OF(fields); i++) {
        snprintf(names[i], sizeof names[i], "f%u", i);
        fields[i] = (ls_field){names[i], LS_TYPE_U8, i, 1, 0};
    }
    const ls_component max = {"c", LS_COMPONENT_FIELDS_MAX, LS_COMPONENT_FIELDS_MAX, fields, false};
    CHECK(&max, LS_OK, "");
    const ls_component more = {"c", LS_COUNT_OF(fields), LS_COUNT_OF(fields), fields, false};
    CHECK(&more, LS_ERROR_USAGE, "65 fields", "at most 64");
    const ls_field wide[] = {{"f", LS_TYPE_U8, 0, LS_COMPONENT_BYTES_MAX + 1, 0}};
    const ls_component wide_cell = {"c", LS_COMPONENT_BYTES_MAX + 1, 1, wide, false};
    const ls_component wide_single = {"c", LS_COMPONENT_BYTES_MAX + 1, 1, wide, true};
    CHECK(&wide_cell, LS_ERROR_USAGE, "4097 bytes", "at most 4096");
    CHECK(&wide_single, LS_OK, "");
    const ls_field huge[] = {{"f", LS_TYPE_U8, 0, LS_SINGLETON_BYTES_MAX + 1, 0}};
    const ls_component huge_single = {"c", LS_SINGLETON_BYTES_MAX + 1, 1, huge, true};
    CHECK(&huge_single, LS_ERROR_USAGE, "65537 bytes", "at most 65536");
    const ls_component bare = {"bare", 0, 0, NULL, true};
    CHECK(&bare, LS_ERROR_USAGE, "singleton \"bare\"");
    const ls_component unnamed = {NULL, 0, 0, NULL, false}, empty = {"", 0, 0, NULL, false};
    CHECK(&unnamed, LS_ERROR_USAGE, "no name");
    CHECK(&empty, LS_ERROR_USAGE, "no name");
}

typedef struct rich {
    ls_entity friends[3];
    ls_fix2 places[2];
    uint16_t friend_count;
    uint8_t mood;
    uint8_t fill[5];
} rich;

static const char *const moods[] = {"calm", "angry"};
static const ls_field rich_fields[] = {
    LS_FIELD_ITEMS(rich, friends, LS_TYPE_ENTITY, friend_count, LS_CASCADE),
    LS_FIELD(rich, places, LS_TYPE_FIX2), LS_FIELD_UP_TO(rich, friend_count, LS_TYPE_U16, 3),
    LS_FIELD_ENUM(rich, mood, moods), LS_FIELD(rich, fill, LS_TYPE_U8)};
enum { FRIENDS = 0, PLACES, FRIEND_COUNT, MOOD, FILL, RICH_FIELDS };

/* Checks a component with one changed field; asserts the error, or success if `why` is NULL. */
static void check_changed(uint32_t at, ls_field changed, const char *field, const char *why)
{
    static ls_field fields[RICH_FIELDS];
    memcpy(fields, rich_fields, sizeof fields);
    fields[at] = changed;
    const ls_component component = LS_COMPONENT_TABLE(rich, "rich", fields);
    CHECK(&component, why ? LS_ERROR_USAGE : LS_OK, why ? "component \"rich\"" : "", field,
          why ? why : "");
}

#define CHECK_CHANGED(at, attribute, value, field, why)                                            \
    do {                                                                                           \
        ls_field changed_ = rich_fields[at];                                                       \
        changed_.attribute = value;                                                                \
        check_changed(at, changed_, field, why);                                                   \
    } while (0)

TEST(test_component_names_enums_completely)
{
    static const char *const missing[] = {"calm", NULL}, *const empty_name[] = {"", "angry"};
    static const char *const twice[] = {"calm", "angry", "calm"};
    check_changed(MOOD, rich_fields[MOOD], "", NULL);
    CHECK_CHANGED(MOOD, names, NULL, "\"mood\"", "list it as ENUM(...)");
    CHECK_CHANGED(MOOD, names, missing, "\"mood\"", "value 1 has no name");
    CHECK_CHANGED(MOOD, names, empty_name, "\"mood\"", "value 0 has no name");
    CHECK_CHANGED(MOOD, max, 256, "\"mood\"", "at most 256");
    CHECK_CHANGED(MOOD, max, 0, "", NULL);
    CHECK_CHANGED(FILL, names, moods, "\"fill\"", "nothing else, has names");
    ls_field three = rich_fields[MOOD];
    three.names = twice;
    three.max = 2;
    check_changed(MOOD, three, "values 0 and 2", "\"calm\"");
}

TEST(test_component_maxima_are_of_unsigned_integers)
{
    CHECK_CHANGED(FILL, max, 255, "", NULL);
    CHECK_CHANGED(FILL, max, 256, "\"fill\"", "type u8 cannot have the largest value 256");
    CHECK_CHANGED(PLACES, max, 1, "\"places\"", "type fix2");
    CHECK_CHANGED(FRIENDS, max, 1, "\"friends\"", "type entity");
    ls_field whole = rich_fields[FILL];
    whole.type = LS_TYPE_I8;
    whole.max = 1;
    check_changed(FILL, whole, "\"fill\"", "type i8");
}

TEST(test_component_counts_items)
{
    CHECK_CHANGED(FRIENDS, count, "mood", "\"mood\" counts the 3 items of \"friends\"", "up to 3");
    CHECK_CHANGED(FRIENDS, count, "nobody", "\"friends\"", "\"nobody\", which is no field");
    CHECK_CHANGED(FRIENDS, count, "friends", "\"friends\" counts", "LS_FIELD_UP_TO");
    CHECK_CHANGED(FRIEND_COUNT, max, 0, "\"friend_count\" counts", "up to 3");
    CHECK_CHANGED(FRIEND_COUNT, max, 4, "\"friend_count\" counts", "up to 3");
    CHECK_CHANGED(FRIEND_COUNT, type, LS_TYPE_I16, "\"friend_count\" counts", "LS_TYPE_U16");
    CHECK_CHANGED(PLACES, count, "friend_count", "the 2 items of \"places\"", "up to 2");
}

TEST(test_component_deaths_befall_references)
{
    CHECK_CHANGED(FRIENDS, on_despawn, LS_NULL, "", NULL);
    CHECK_CHANGED(FRIENDS, on_despawn, LS_PARENT, "\"friends\"", "several parents");
    CHECK_CHANGED(FRIENDS, on_despawn, (ls_on_despawn)4, "\"friends\"", "death");
    CHECK_CHANGED(FILL, on_despawn, LS_NULL, "\"fill\"", "of type u8; only an entity dies");
    CHECK_CHANGED(PLACES, on_despawn, LS_CASCADE, "\"places\"", "of type fix2");
}

/* Whether "a.place" with one changed field is a twin of "b.place". */
static bool is_twin(uint32_t at, ls_field changed)
{
    static ls_field fields[RICH_FIELDS];
    memcpy(fields, rich_fields, sizeof fields);
    fields[at] = changed;
    const ls_component one = LS_COMPONENT_TABLE(rich, "a.place", rich_fields);
    const ls_component other = LS_COMPONENT_TABLE(rich, "b.place", fields);
    return ls_component_is_twin(&one, &other);
}

TEST(test_component_twins_have_equal_fields)
{
    static const char *const copies[] = {"calm", "angry"}, *const others[] = {"calm", "glad"};
    ls_field mood = rich_fields[MOOD], friends = rich_fields[FRIENDS];
    mood.names = copies;
    assert_true(is_twin(MOOD, mood));
    mood.names = others;
    assert_false(is_twin(MOOD, mood));
    friends.count = NULL;
    assert_false(is_twin(FRIENDS, friends));
    friends = rich_fields[FRIENDS];
    friends.on_despawn = LS_NULL;
    assert_false(is_twin(FRIENDS, friends));
}

TEST(test_component_fields_have_names_of_their_own)
{
    CHECK_CHANGED(FILL, name, "mood", "two fields", "\"mood\"; rename");
    CHECK_CHANGED(FILL, name, "", "has no name", "");
}

TEST(test_component_events_are_no_state)
{
    const ls_component event = LS_EVENT_TABLE(rich, "bang", rich_fields);
    const ls_component bare = {"bare", 0, 0, NULL, false, true};
    const ls_component both = {"both", sizeof(rich), RICH_FIELDS, rich_fields, true, true};
    CHECK(&event, LS_OK, "");
    CHECK(&bare, LS_OK, "");
    CHECK(&both, LS_ERROR_USAGE, "\"both\"", "a singleton and an event");
}

typedef struct holder {
    ls_entity one;
} holder;

TEST(test_component_events_live_for_some_ticks)
{
    ls_field reference = LS_FIELD_ENTITY(holder, one, LS_KEEP);
    ls_component event = {"bang", 8, 1, &reference, false, LS_EVENT_TICKS_MAX};
    CHECK(&event, LS_OK, "");
    event.event_ticks++;
    CHECK(&event, LS_ERROR_USAGE, "\"bang\"", "65 ticks, at most 64");
    event.event_ticks = 2;
    reference.on_despawn = LS_NULL;
    CHECK(&event, LS_ERROR_USAGE, "\"bang\"", "\"one\"", "say LS_KEEP");
    event.event_ticks = 1;
    CHECK(&event, LS_OK, "");
}

TEST(test_component_types_have_sizes_and_names)
{
    static const struct {
        ls_type type;
        uint32_t bytes;
        const char *name;
    } expected[] = {
        {LS_TYPE_U8, 1, "u8"},
        {LS_TYPE_I8, 1, "i8"},
        {LS_TYPE_U16, 2, "u16"},
        {LS_TYPE_I16, 2, "i16"},
        {LS_TYPE_U32, 4, "u32"},
        {LS_TYPE_I32, 4, "i32"},
        {LS_TYPE_U64, 8, "u64"},
        {LS_TYPE_I64, 8, "i64"},
        {LS_TYPE_BOOL, 1, "bool"},
        {LS_TYPE_FIX, 4, "fix"},
        {LS_TYPE_ANGLE, 2, "angle"},
        {LS_TYPE_ENTITY, 8, "entity"},
        {LS_TYPE_ENUM, 1, "enum"},
        {LS_TYPE_FIX2, 8, "fix2"},
        {LS_TYPE_FIX3, 12, "fix3"},
        {(ls_type)0, 0, "no type"},
        {(ls_type)(LS_TYPE_FIX3 + 1), 0, "no type"},
        {(ls_type)-1, 0, "no type"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(expected); i++) {
        assert_int_equal(ls_type_bytes(expected[i].type), expected[i].bytes);
        assert_string_equal(ls_type_name(expected[i].type), expected[i].name);
        bool is_vector = expected[i].type == LS_TYPE_FIX2 || expected[i].type == LS_TYPE_FIX3;
        assert_int_equal(ls_type_is_vector(expected[i].type), is_vector);
        assert_int_equal(ls_type_unit(expected[i].type), is_vector ? 4 : expected[i].bytes);
    }
}
