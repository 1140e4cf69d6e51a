#include "harness.h"

#include "core/codec.h"
#include "core/hash.h"

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
static const ls_component component = LS_COMPONENT(mixed, "mixed", fields);
static const ls_component tag = LS_TAG("tag");

static const mixed cell = {.wide = 0x0102030405060708,
                           .array = {0x11121314, 0x21222324},
                           .half = 0x3132,
                           .flags = {true, false}};
static const uint8_t little[] = {8,    7,    6,    5,    4,    3,    2, 1, 0x14, 0x13, 0x12, 0x11,
                                 0x24, 0x23, 0x22, 0x21, 0x32, 0x31, 1, 0, 0,    0,    0,    0};

static void test_codec_gives_little_endian_bytes(void **state)
{
    (void)state;
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

static void test_codec_hashes_the_little_endian_bytes(void **state)
{
    (void)state;
    assert_int_equal(ls_cells_hash(&component, &cell, 1), ls_hash_bytes(little, sizeof little));
    assert_int_equal(ls_cells_hash(&tag, &cell, 5), ls_hash_bytes(NULL, 0));
    const uint64_t words[2] = {0x0102030405060708, 0xff};
    static const uint8_t bytes[16] = {8, 7, 6, 5, 4, 3, 2, 1, 0xff};
    assert_int_equal(ls_words_hash(words, 2), ls_hash_bytes(bytes, 16));
}

/* The value of the specification's reference implementation: another hash is another engine. */
static void test_codec_hash_is_xxh3(void **state)
{
    (void)state;
    assert_int_equal(ls_hash_bytes(NULL, 0), 0x2d06800538d394c2);
    assert_int_equal(ls_hash_bytes("a", 1), 0xe6c632b61e964e1f);
}

static void test_codec_knows_the_bytes_of_a_bool(void **state)
{
    (void)state;
    mixed changed = cell;
    assert_true(ls_cell_is_valid(&component, &changed));
    assert_true(ls_cell_is_valid(&tag, NULL));
    for (uint32_t value = 0; value < 256; value++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint8_t bytes[sizeof cell];
            memcpy(bytes, &cell, sizeof cell);
            bytes[offsetof(mixed, flags) + i] = (uint8_t)value;
            bytes[sizeof cell - 1] = (uint8_t)value; /* no bool */
            assert_int_equal(ls_cell_is_valid(&component, bytes), value <= 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec_gives_little_endian_bytes),
        cmocka_unit_test(test_codec_hashes_the_little_endian_bytes),
        cmocka_unit_test(test_codec_hash_is_xxh3),
        cmocka_unit_test(test_codec_knows_the_bytes_of_a_bool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
