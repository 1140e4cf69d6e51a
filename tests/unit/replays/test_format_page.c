/* docs/replay-format.md shows a recording byte by byte. Here that recording is made and compared,
 * so that page and program cannot part. */
#include "sample.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_LINE_BYTES = 256 };

/* The example: two players, one option, two ticks; the second's root comes late, after a crash. */
static void record_example(ls_memory_sink *memory)
{
    static const uint8_t move[2] = {0x07, 0xff};
    ls_recording_header header = {
        .salt = 0x1122334455667788,
        .simulation = {.rules_version = 3, .name = "skirmish", .version = "1.0"},
        .match = {.seed = 42, .tick_rate = 60, .player_count = 2, .option_count = 1},
        .created_unix_s = 1700000000,
        .build = "gcc 12",
    };
    header.match.options[0] = -2;
    for (uint8_t i = 0; i < 16; i++)
        header.simulation.fingerprint[i] = (uint8_t)(0xf0 + i);
    const ls_input joins[2] = {{.player = 0, .kind = LS_JOIN}, {.player = 1, .kind = LS_JOIN}};
    const ls_input moves[1] = {{.player = 1, .kind = LS_INPUT, .bytes = 2, .data = move}};
    const ls_frame frames[2] = {{.tick = 0, .count = 2, .inputs = joins},
                                {.tick = 1, .count = 1, .inputs = moves}};
    ls_recorder *recorder;
    ls_memory_sink_init(memory);
    assert_int_equal(
        ls_recorder_create_on(ls_memory_sink_open(memory), "example", &header, &recorder, NULL),
        LS_OK);
    assert_int_equal(ls_recorder_add_root(recorder, 0xa0a0a0a0a0a0a0a0, NULL), LS_OK);
    assert_int_equal(ls_recorder_append(recorder, &frames[0], NULL), LS_OK);
    assert_int_equal(ls_recorder_append(recorder, &frames[1], NULL), LS_OK);
    assert_int_equal(ls_recorder_begin_epoch(recorder, 1, 1700000600, NULL), LS_OK);
    assert_int_equal(ls_recorder_add_root(recorder, 0xb1b1b1b1b1b1b1b1, NULL), LS_OK);
    assert_int_equal(ls_recorder_add_root(recorder, 0xc2c2c2c2c2c2c2c2, NULL), LS_OK);
    assert_int_equal(ls_recorder_finish(recorder, LS_CLOSING_FINISHED, NULL), LS_OK);
    ls_recorder_destroy(recorder);
}

/* One line of the page: offset, bytes, two spaces, what they are. Compares and moves `at`. */
static void compare_line(const ls_memory_sink *memory, const char *line, size_t *at)
{
    char *text;
    assert_int_equal(strtoul(line, &text, 16), *at);
    text += strspn(text, " ");
    while (isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1])) {
        uint8_t byte = (uint8_t)strtoul(text, &text, 16);
        if (*at >= memory->bytes || memory->data[*at] != byte)
            print_error("docs/replay-format.md: at byte %zu the page has %02x, the file %02x\n",
                        *at, byte, *at < memory->bytes ? memory->data[*at] : 0);
        assert_true(*at < memory->bytes);
        assert_int_equal(memory->data[*at], byte);
        ++*at;
        if (strncmp(text, "  ", 2) == 0)
            return;
        text += *text == ' ';
    }
}

static void test_format_page_shows_the_real_bytes(void **state)
{
    (void)state;
    ls_memory_sink memory;
    char line[PAGE_LINE_BYTES];
    size_t at = 0;
    bool is_dump = false;
    FILE *page = fopen(LS_FORMAT_PAGE, "r");
    assert_non_null(page);
    record_example(&memory);
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "```", 3) == 0)
            is_dump = strncmp(line, "```hex", 6) == 0;
        else if (is_dump)
            compare_line(&memory, line, &at);
    }
    fclose(page);
    assert_int_equal(at, memory.bytes);
    ls_memory_sink_reset(&memory);
}

/* "| LS_NAME | number |" rows of the page against the constants they name. */
static void test_format_page_states_the_real_limits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t value;
    } limits[] = {
        {"LS_RECORDING_FORMAT_VERSION", LS_RECORDING_FORMAT_VERSION},
        {"LS_RECORDING_PREFIX_BYTES", LS_RECORDING_PREFIX_BYTES},
        {"LS_RECORDING_TEXT_BYTES", LS_RECORDING_TEXT_BYTES},
        {"LS_RECORD_HEADER_PAYLOAD_MAX", LS_RECORD_HEADER_PAYLOAD_MAX},
        {"LS_RECORD_FRAME_PAYLOAD_MAX", LS_RECORD_FRAME_PAYLOAD_MAX},
        {"LS_RECORD_ROOTS_PAYLOAD_MAX", LS_RECORD_ROOTS_PAYLOAD_MAX},
        {"LS_RECORD_CLOSING_PAYLOAD_MAX", LS_RECORD_CLOSING_PAYLOAD_MAX},
        {"LS_RECORD_EPOCH_PAYLOAD", LS_RECORD_EPOCH_PAYLOAD},
        {"LS_RECORD_ROOTS_MAX", LS_RECORD_ROOTS_MAX},
        {"LS_RECORDING_LAG_TICKS_MAX", LS_RECORDING_LAG_TICKS_MAX},
        {"LS_RECORD_PAYLOAD_MAX", LS_RECORD_PAYLOAD_MAX},
        {"LS_RECORDING_FILE_BYTES_MAX", LS_RECORDING_FILE_BYTES_MAX},
    };
    char line[PAGE_LINE_BYTES], start[80];
    uint32_t found = 0;
    FILE *page = fopen(LS_FORMAT_PAGE, "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        for (size_t i = 0; i < LS_COUNT_OF(limits); i++) {
            snprintf(start, sizeof start, "| `%s` | ", limits[i].name);
            if (strncmp(line, start, strlen(start)) != 0)
                continue;
            assert_int_equal(strtoull(line + strlen(start), NULL, 10), limits[i].value);
            found++;
        }
    }
    fclose(page);
    assert_int_equal(found, LS_COUNT_OF(limits));
}

int main(int argc, char **argv)
{
    /* With a path, writes the example there, for whoever has to change the page. */
    if (argc == 2) {
        ls_memory_sink memory;
        record_example(&memory);
        FILE *file = fopen(argv[1], "wb");
        bool is_written = file && fwrite(memory.data, 1, memory.bytes, file) == memory.bytes;
        ls_memory_sink_reset(&memory);
        return file && fclose(file) == 0 && is_written ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_page_shows_the_real_bytes),
        cmocka_unit_test(test_format_page_states_the_real_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
