#include "cli/common/log_json.h"

#include "test.h"

TEST(test_log_json_has_the_values_of_the_line)
{
    static const struct {
        const char *line, *json;
    } cases[] = {
        {"start", "{\"event\": \"start\"}"},
        {"enter tick=19 peer=-1 name=\"a b\" address=[::1]:4 bot=1",
         "{\"event\": \"enter\", \"tick\": 19, \"peer\": -1, \"name\": \"a b\", "
         "\"address\": \"[::1]:4\", \"bot\": 1}"},
        {"x a=\"say \\\"hi\\\" \\\\\" b=2",
         "{\"event\": \"x\", \"a\": \"say \\\"hi\\\" \\\\\", \"b\": 2}"},
        {"x a=\"un\"quoted\" b=\"\"", "{\"event\": \"x\", \"a\": \"un\\\"quoted\", \"b\": \"\"}"},
        {"x a= b=00 c=007 d=0 e=1.5 f=123456789012345 g=1234567890123456",
         "{\"event\": \"x\", \"a\": \"\", \"b\": \"00\", \"c\": \"007\", \"d\": 0, \"e\": \"1.5\", "
         "\"f\": 123456789012345, \"g\": \"1234567890123456\"}"},
        {"x some words a=1", "{\"event\": \"x\", \"text\": \"some words a=1\"}"},
        {"No event here", "{\"text\": \"No event here\"}"},
        {"", "{\"event\": \"\"}"},
        {"x a=\"no end", "{\"event\": \"x\", \"a\": \"no end\"}"},
        {"x a=\"\\", "{\"event\": \"x\", \"a\": \"\\\\\"}"},
        {"x a=\xff", "{\"event\": \"x\", \"a\": \"\\ufffd\"}"},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder text = {0};
        ls_log_json_add(&text, cases[i].line);
        assert_string_equal(text.data, cases[i].json);
        ls_free(text.data);
    }
}
