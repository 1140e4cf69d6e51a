/* Values as text, and parsing that text. */
#include "every_sim.h"
#include "harness.h"

#include "core/schedule/value_text.h"

TEST(test_value_text_fix_is_told_from_its_neighbours)
{
    static const struct {
        ls_fix value;
        const char *full, *brief;
    } cases[] = {
        {0, "0.00000", "0"},
        {1, "0.00002", "0.00002"},
        {-1, "-0.00002", "-0.00002"},
        {LS_FIX(0.5), "0.50000", "0.5"},
        {LS_FIX(-1.5), "-1.50000", "-1.5"},
        {LS_FIX(100), "100.00000", "100"},
        {65535, "0.99998", "0.99998"},
        {LS_FIX_MAX, "32767.99998", "32767.99998"},
        {LS_FIX_MIN, "-32768.00000", "-32768"},
    };
    static const ls_field field = {.name = "f", .type = LS_TYPE_FIX};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder full = {0}, brief = {0};
        ls_fix_print(&full, cases[i].value);
        ls_value_text_print(&brief, NULL, &field, &cases[i].value);
        assert_string_equal(full.data, cases[i].full);
        assert_string_equal(brief.data, cases[i].brief);
        ls_free(full.data);
        ls_free(brief.data);
    }
    for (ls_fix value = 0; value < LS_FIX_ONE; value++) {
        ls_builder text = {0};
        ls_fix_print(&text, value);
        assert_int_equal((strtol(text.data + 2, NULL, 10) * 65536 + 50000) / 100000, value);
        ls_free(text.data);
    }
}

TEST(test_value_text_vectors_are_in_brackets)
{
    static const ls_field pair = {.name = "p", .type = LS_TYPE_FIX2};
    static const ls_field triple = {.name = "t", .type = LS_TYPE_FIX3};
    const ls_fix3 vector = {LS_FIX(0.5), LS_FIX_MIN, LS_FIX(3)};
    ls_builder text = {0};
    ls_value_text_print(&text, NULL, &triple, &vector);
    ls_value_text_print(&text, NULL, &pair, &vector);
    assert_string_equal(text.data, "(0.5, -32768, 3)(0.5, -32768)");
    ls_free(text.data);
}

TEST(test_value_text_entities_read_back)
{
    static const struct {
        ls_entity entity;
        const char *text;
    } cases[] = {
        {UINT64_C(1) << 32, "world/0:1"},
        {UINT64_MAX, "0xffffffffffffffff"},
        {UINT64_C(0x0000000703000000), "0x0000000703000000"},
        {UINT64_C(0x0000000002000007), "glow/\"2\"/7:0"},
        {UINT64_C(0xffffffff01ffffff), "beasts/16777215:4294967295"},
    };
    harness self;
    harness_begin(&self, &every_sim, 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder text = {0};
        ls_entity entity;
        ls_entity_print(&text, self.program, cases[i].entity);
        assert_string_equal(text.data, cases[i].text);
        assert_true(ls_entity_parse(self.program, text.data, &entity));
        assert_int_equal(entity, cases[i].entity);
        ls_free(text.data);
    }
    harness_end(&self);
}

TEST(test_value_text_each_handle_has_one_text)
{
    static const char *const wrong[] = {"",
                                        "/",
                                        ":",
                                        "/:",
                                        "beasts",
                                        "beasts/",
                                        "beasts/1",
                                        "beasts/1:",
                                        "beasts/:1",
                                        "beasts/01:1",
                                        "beasts/1:01",
                                        "beasts/+1:1",
                                        "beasts/1:-1",
                                        "beasts/1:1 ",
                                        " beasts/1:1",
                                        "beast/1:1",
                                        "beastss/1:1",
                                        "/1:1",
                                        "beasts:1/1",
                                        "beasts/16777216:1",
                                        "null",
                                        "0x",
                                        "0x1",
                                        "beasts/1:4294967296",
                                        "0x0000000101000000",
                                        "0x00000007FF000001",
                                        "0x00000007ff00000g",
                                        "beasts/99999999999999999999999:1"};
    harness self;
    ls_entity entity;
    harness_begin(&self, &every_sim, 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        if (ls_entity_parse(self.program, wrong[i], &entity))
            fail_msg("\"%s\" is taken", wrong[i]);
    }
    harness_end(&self);
}

TEST(test_value_text_numbers_go_in_and_out)
{
    static const struct {
        ls_type type;
        uint64_t low, high;
    } cases[] = {{LS_TYPE_U8, 0, UINT8_MAX},     {LS_TYPE_I8, (uint64_t)INT8_MIN, INT8_MAX},
                 {LS_TYPE_U16, 0, UINT16_MAX},   {LS_TYPE_I16, (uint64_t)INT16_MIN, INT16_MAX},
                 {LS_TYPE_U32, 0, UINT32_MAX},   {LS_TYPE_I32, (uint64_t)INT32_MIN, INT32_MAX},
                 {LS_TYPE_U64, 0, UINT64_MAX},   {LS_TYPE_I64, (uint64_t)INT64_MIN, INT64_MAX},
                 {LS_TYPE_ENUM, 0, UINT8_MAX},   {LS_TYPE_BOOL, 0, 1},
                 {LS_TYPE_ANGLE, 0, UINT16_MAX}, {LS_TYPE_FIX, (uint64_t)INT32_MIN, INT32_MAX},
                 {LS_TYPE_ENTITY, 0, UINT64_MAX}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        uint8_t item[9];
        memset(item, 0xee, sizeof item);
        ls_value_write(cases[i].type, cases[i].low, item);
        assert_int_equal(ls_value_read(cases[i].type, item), cases[i].low);
        ls_value_write(cases[i].type, cases[i].high, item);
        assert_int_equal(ls_value_read(cases[i].type, item), cases[i].high);
        assert_int_equal(item[ls_type_bytes(cases[i].type)], 0xee);
    }
}
