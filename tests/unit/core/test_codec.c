#include "harness.h"

#include "core/schema/codec.h"
#include <lockstep/hash.h>

typedef struct mixed {
    uint64_t wide;
    uint32_t array[2];
    uint16_t half;
    bool flags[2];
} mixed;

static const ls_field fields[] = {LS_FIELD(mixed, wide, LS_TYPE_U64),
                                  LS_FIELD(mixed, array, LS_TYPE_U32),
                                  LS_FIELD(mixed, half, LS_TYPE_U16),
                                  LS_FIELD(mixed, flags, LS_TYPE_BOOL),
                                  {"rest", LS_TYPE_U8, 20, 4, 0}};
static const ls_component component = LS_COMPONENT_TABLE(mixed, "mixed", fields);
static const ls_component tag = LS_TAG_TABLE("tag");

static const mixed cell = {.wide = 0x0102030405060708,
                           .array = {0x11121314, 0x21222324},
                           .half = 0x3132,
                           .flags = {true, false}};
static const uint8_t little[] = {8,    7,    6,    5,    4,    3,    2, 1, 0x14, 0x13, 0x12, 0x11,
                                 0x24, 0x23, 0x22, 0x21, 0x32, 0x31, 1, 0, 0,    0,    0,    0};

TEST(test_codec_gives_little_endian_bytes)
{
    assert_int_equal(sizeof cell, sizeof little);
    const mixed cells[3] = {cell, {0}, cell};
    uint8_t bytes[3 * sizeof little];
    ls_cells_convert(&component, cells, bytes, 3);
    assert_memory_equal(bytes, little, sizeof little);
    assert_memory_equal(bytes + 2 * sizeof little, little, sizeof little);
    mixed back[3];
    ls_cells_convert(&component, bytes, back, 3);
    assert_memory_equal(back, cells, sizeof cells);
    ls_cells_convert(&component, NULL, NULL, 0);
    ls_cells_convert(&tag, cells, bytes, 3);
}

TEST(test_codec_hashes_the_little_endian_bytes)
{
    assert_int_equal(ls_cells_hash(&component, &cell, 1), ls_hash_bytes(little, sizeof little));
    assert_int_equal(ls_cells_hash(&tag, &cell, 5), ls_hash_bytes(NULL, 0));
    const uint64_t words[2] = {0x0102030405060708, 0xff};
    static const uint8_t bytes[16] = {8, 7, 6, 5, 4, 3, 2, 1, 0xff};
    assert_int_equal(ls_words_hash(words, 2), ls_hash_bytes(bytes, 16));
}

/* The values of the specification's reference implementation: another hash would change every
 * root. */
TEST(test_codec_hash_is_xxh3)
{
    assert_int_equal(ls_hash_bytes(NULL, 0), 0x2d06800538d394c2);
    assert_int_equal(ls_hash_bytes("a", 1), 0xe6c632b61e964e1f);
}

TEST(test_codec_knows_the_bytes_of_a_bool)
{
    mixed changed = cell;
    assert_null(ls_cell_fault(&component, &changed));
    assert_null(ls_cell_fault(&tag, NULL));
    for (uint32_t value = 0; value < 256; value++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint8_t bytes[sizeof cell];
            memcpy(bytes, &cell, sizeof cell);
            bytes[offsetof(mixed, flags) + i] = (uint8_t)value;
            bytes[sizeof cell - 1] = (uint8_t)value; /* the last byte is not a bool */
            assert_int_equal(ls_cell_fault(&component, bytes) == NULL, value <= 1);
        }
    }
}

/* One member of each type, with its bytes in memory on a machine of either byte order. */
typedef struct each {
    uint64_t u64;
    int64_t i64;
    ls_entity entity;
    uint32_t u32;
    int32_t i32;
    ls_fix fix;
    ls_fix2 fix2[2];
    ls_fix3 fix3;
    uint16_t u16;
    int16_t i16;
    uint16_t angle;
    uint8_t u8;
    int8_t i8;
    bool flag;
    uint8_t kind;
} each;

static const char *const kinds[] = {"none", "one", "two"};
static const ls_field each_fields[] = {
    LS_FIELD(each, u64, LS_TYPE_U64),       LS_FIELD(each, i64, LS_TYPE_I64),
    LS_FIELD(each, entity, LS_TYPE_ENTITY), LS_FIELD(each, u32, LS_TYPE_U32),
    LS_FIELD(each, i32, LS_TYPE_I32),       LS_FIELD(each, fix, LS_TYPE_FIX),
    LS_FIELD(each, fix2, LS_TYPE_FIX2),     LS_FIELD(each, fix3, LS_TYPE_FIX3),
    LS_FIELD(each, u16, LS_TYPE_U16),       LS_FIELD(each, i16, LS_TYPE_I16),
    LS_FIELD(each, angle, LS_TYPE_ANGLE),   LS_FIELD(each, u8, LS_TYPE_U8),
    LS_FIELD(each, i8, LS_TYPE_I8),         LS_FIELD(each, flag, LS_TYPE_BOOL),
    LS_FIELD_ENUM(each, kind, kinds),
};
static const ls_component each_component = LS_COMPONENT_TABLE(each, "each", each_fields);
static const uint8_t each_little[] = {
    0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0x05, 0x00, 0x00, 0x02, 0x09, 0x00, 0x00, 0x00, 0x04, 0x03, 0x02, 0x01, 0xfd, 0xff,
    0xff, 0xff, 0x00, 0x80, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03,
    0x00, 0x00, 0x00, 0xfc, 0xff, 0xff, 0xff, 0x05, 0x00, 0x00, 0x00, 0xfa, 0xff, 0xff, 0xff,
    0x00, 0x00, 0x07, 0x00, 0x02, 0x01, 0xfb, 0xff, 0x00, 0x40, 0x07, 0xfa, 0x01, 0x02};
static const uint8_t each_big[] = {
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xfe, 0x00, 0x00, 0x00, 0x09, 0x02, 0x00, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04, 0xff, 0xff,
    0xff, 0xfd, 0x00, 0x01, 0x80, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00,
    0x00, 0x00, 0x03, 0xff, 0xff, 0xff, 0xfc, 0x00, 0x00, 0x00, 0x05, 0xff, 0xff, 0xff, 0xfa,
    0x00, 0x07, 0x00, 0x00, 0x01, 0x02, 0xff, 0xfb, 0x40, 0x00, 0x07, 0xfa, 0x01, 0x02};

TEST(test_codec_bytes_are_the_same_on_machines_of_either_order)
{
    const each value = {.u64 = 0x0102030405060708,
                        .i64 = -2,
                        .entity = ls_entity_make(2, 5, 9),
                        .u32 = 0x01020304,
                        .i32 = -3,
                        .fix = LS_FIX(1.5),
                        .fix2 = {{1, 2}, {3, -4}},
                        .fix3 = {5, -6, LS_FIX(7)},
                        .u16 = 0x0102,
                        .i16 = -5,
                        .angle = 0x4000,
                        .u8 = 7,
                        .i8 = -6,
                        .flag = true,
                        .kind = 2};
    enum { BYTES = sizeof each_little };
    uint8_t image[2 * sizeof value], big[2 * sizeof value], found[2 * sizeof value];
    memset(image, 0, sizeof image);
    memset(big, 0, sizeof big);
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(image + sizeof value * i, each_little, BYTES);
        memcpy(big + sizeof value * i, each_big, BYTES);
    }
    memset(found, 0, sizeof found);
    ls_cells_convert(&each_component, &value, found, 1);
    assert_memory_equal(found, each_little, BYTES);
    memset(found, 0, sizeof found);
    ls_cells_convert_as(LS_ORDER_LITTLE, &each_component, image, found, 2);
    assert_memory_equal(found, image, sizeof image);
    memset(found, 0, sizeof found);
    ls_cells_convert_as(LS_ORDER_BIG, &each_component, big, found, 2);
    assert_memory_equal(found, image, sizeof image);
    memset(found, 0, sizeof found);
    ls_cells_convert_as(LS_ORDER_BIG, &each_component, image, found, 2);
    assert_memory_equal(found, big, sizeof big);
}

TEST(test_codec_hashes_are_the_same_on_machines_of_either_order)
{
    enum { BYTES = sizeof each_little };
    const ls_component packed = {"packed", BYTES, LS_COUNT_OF(each_fields), each_fields, false};
    uint64_t hash = ls_hash_bytes(each_little, BYTES);
    assert_int_equal(ls_cells_hash(&packed, each_little, 1), hash);
    assert_int_equal(ls_cells_hash_as(LS_ORDER_BIG, &packed, each_big, 1), hash);
    assert_int_equal(ls_cells_hash_as(LS_ORDER_BIG, &packed, each_big, 0), ls_hash_bytes(NULL, 0));
    uint64_t words[16], swapped[16];
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = i * UINT64_C(0x9e3779b97f4a7c15);
        swapped[i] = __builtin_bswap64(words[i]);
    }
    assert_int_equal(ls_words_hash_as(LS_ORDER_BIG, swapped, 16), ls_words_hash(words, 16));
}

/* More bytes than a piece has: 5000 cells of 6, and one of 65,520. */
TEST(test_codec_hashes_pieces_as_a_whole)
{
    enum { CELLS = 5000, BYTES = 6 * CELLS, WIDE = 65520 };
    static const ls_field small_fields[] = {{"a", LS_TYPE_U32, 0, 4}, {"b", LS_TYPE_U16, 4, 2}};
    static const ls_component small = {"small", 6, 2, small_fields, false};
    static const ls_field wide_fields[] = {{"a", LS_TYPE_U16, 0, 8},
                                           {"b", LS_TYPE_U64, 8, WIDE - 8}};
    static const ls_component wide = {"wide", WIDE, 2, wide_fields, true};
    static uint8_t cells[WIDE], swapped[WIDE];
    for (uint32_t i = 0; i < WIDE; i++)
        cells[i] = (uint8_t)(i * 2654435761u >> 13);
    ls_cells_convert_as(LS_ORDER_BIG, &small, cells, swapped, CELLS);
    assert_int_equal(ls_cells_hash_as(LS_ORDER_BIG, &small, cells, CELLS),
                     ls_hash_bytes(swapped, BYTES));
    ls_cells_convert_as(LS_ORDER_BIG, &wide, cells, swapped, 1);
    assert_int_equal(ls_cells_hash_as(LS_ORDER_BIG, &wide, cells, 1), ls_hash_bytes(swapped, WIDE));
    assert_int_equal(ls_cells_hash_as(LS_ORDER_BIG, &tag, cells, 9), ls_hash_bytes(NULL, 0));
}

typedef struct group {
    ls_entity leader;
    ls_entity members[3];
    ls_fix2 place;
    uint16_t member_count;
    uint8_t kind;
    uint8_t fill[5];
} group;

static const ls_field group_fields[] = {
    LS_FIELD_ENTITY(group, leader, LS_CASCADE),
    LS_FIELD_ITEMS(group, members, LS_TYPE_ENTITY, member_count, LS_NULL),
    LS_FIELD(group, place, LS_TYPE_FIX2),
    LS_FIELD_UP_TO(group, member_count, LS_TYPE_U16, 3),
    LS_FIELD_ENUM(group, kind, kinds),
    LS_FIELD(group, fill, LS_TYPE_U8)};
static const ls_component groups = LS_COMPONENT_TABLE(group, "group", group_fields);

TEST(test_codec_knows_the_range_of_enums_and_counts)
{
    static const char *const single[] = {"only"};
    static const ls_field only_fields[] = {{"k", LS_TYPE_ENUM, 0, 1, 0, single}};
    const ls_component only = {"only", 1, 1, only_fields, false};
    for (uint32_t value = 0; value < 256; value++) {
        group changed = {.kind = (uint8_t)value};
        uint8_t byte = (uint8_t)value;
        assert_int_equal(ls_cell_fault(&groups, &changed) == NULL, value <= 2);
        assert_int_equal(ls_cell_fault(&only, &byte) == NULL, value == 0);
    }
    for (uint32_t count = 0; count < 65536; count++) {
        group changed = {.member_count = (uint16_t)count};
        assert_int_equal(ls_cell_fault(&groups, &changed) == NULL, count <= 3);
        assert_int_equal(ls_field_items(&groups, &group_fields[1], &changed),
                         count < 3 ? count : 3);
    }
    assert_int_equal(ls_field_items(&groups, &group_fields[0], NULL), 1);
    assert_int_equal(ls_field_items(&groups, &group_fields[5], NULL), 5);
}
