/* docs/replay-format.md shows a recording byte by byte: this test makes the same recording and
 * compares. */
#include "sample.h"

#include <ctype.h>

enum { PAGE_LINE_BYTES = 256 };

static void append_extras(ls_recorder *recorder)
{
    static const uint64_t columns[2] = {0xd0d0d0d0d0d0d0d0, 0xd1d1d1d1d1d1d1d1};
    static const uint8_t state[3] = {'a', 'b', 'c'};
    const ls_recording_keyframe keyframe = {
        .tick = 1, .base_tick = 1, .players = 3, .data = state, .bytes = sizeof state};
    assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
    assert_ok(ls_recorder_append_columns(recorder, 1, columns, 2, NULL));
}

/* The recording of the page: two players, one option, three ticks; two roots are late, after a
 * crash. */
static void record_example(ls_memory_sink *memory)
{
    static const uint8_t held[2] = {0x07, 0xff};
    ls_recording_header header = {
        .salt = 0x1122334455667788,
        .simulation = {.rules_version = 3,
                       .schema = 0x5c5c5c5c5c5c5c5c,
                       .name = "skirmish",
                       .version = "1.0"},
        .match = {.seed = 42, .tick_rate = 60, .player_count = 2, .option_count = 1},
        .created_unix_s = 1700000000,
        .build = "gcc 12",
    };
    const ls_identity identity = sample_identity();
    header.match.options[0] = -2;
    for (uint8_t i = 0; i < 16; i++)
        header.simulation.fingerprint[i] = (uint8_t)(0xf0 + i);
    memcpy(header.server_key, identity.public_key.bytes, sizeof header.server_key);
    const ls_input joins[2] = {{.player = 0, .kind = LS_JOIN}, {.player = 1, .kind = LS_JOIN}};
    const ls_input states[1] = {{.player = 1, .kind = LS_STATE, .bytes = 2, .data = held}};
    const ls_frame frames[3] = {{.tick = 0, .count = 2, .inputs = joins},
                                {.tick = 1, .count = 1, .inputs = states},
                                {.tick = 2, .count = 1, .inputs = states}};
    ls_recorder *recorder;
    ls_memory_sink_init(memory);
    const ls_recorder_config config = {.sink = ls_memory_sink_open(memory),
                                       .name = "example",
                                       .header = &header,
                                       .identity = &identity};
    assert_ok(ls_recorder_begin(&config, &recorder, NULL));
    assert_ok(ls_recorder_add_root(recorder, 0xa0a0a0a0a0a0a0a0, NULL));
    assert_ok(ls_recorder_append(recorder, &frames[0], NULL));
    append_extras(recorder);
    assert_ok(ls_recorder_append(recorder, &frames[1], NULL));
    assert_ok(ls_recorder_begin_epoch(recorder, 1, 1700000600, NULL));
    assert_ok(ls_recorder_append(recorder, &frames[2], NULL));
    assert_ok(ls_recorder_append_evidence(recorder, (const uint8_t *)"proof", 5, NULL));
    assert_ok(ls_recorder_add_root(recorder, 0xb1b1b1b1b1b1b1b1, NULL));
    assert_ok(ls_recorder_add_root(recorder, 0xc2c2c2c2c2c2c2c2, NULL));
    assert_ok(ls_recorder_add_root(recorder, 0xd3d3d3d3d3d3d3d3, NULL));
    assert_ok(ls_recorder_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
}

/* Compares one line of the page (offset, bytes, two spaces, meaning) and advances `at`. */
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

TEST(test_format_page_shows_the_real_bytes)
{
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

/* Compares rows "| LS_NAME | number |" of the page with the constants. */
TEST(test_format_page_states_the_real_limits)
{
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
        {"LS_RECORD_LINK_PAYLOAD", LS_RECORD_LINK_PAYLOAD},
        {"LS_RECORD_ROOM_PAYLOAD_MAX", LS_RECORD_ROOM_PAYLOAD_MAX},
        {"LS_RECORD_COLUMNS_MAX", LS_RECORD_COLUMNS_MAX},
        {"LS_RECORD_COLUMNS_PAYLOAD_MAX", LS_RECORD_COLUMNS_PAYLOAD_MAX},
        {"LS_RECORD_SIGNATURE_PAYLOAD_MAX", LS_RECORD_SIGNATURE_PAYLOAD_MAX},
        {"LS_KEYFRAME_BYTES_MAX", LS_KEYFRAME_BYTES_MAX},
        {"LS_EVIDENCE_BYTES_MAX", LS_EVIDENCE_BYTES_MAX},
        {"LS_RECORDING_FRESH_TICKS", LS_RECORDING_FRESH_TICKS},
        {"LS_RECORD_ROOTS_MAX", LS_RECORD_ROOTS_MAX},
        {"LS_RECORDING_LAG_TICKS_MAX", LS_RECORDING_LAG_TICKS_MAX},
        {"LS_RECORD_PAYLOAD_MAX", LS_RECORD_PAYLOAD_MAX},
        {"LS_RECORDING_FILE_BYTES_MAX", LS_RECORDING_FILE_BYTES_MAX},
        {"LS_RECORDING_SEGMENTS_MAX", LS_RECORDING_SEGMENTS_MAX},
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
    /* With a path, writes the example there, to update the page. */
    if (argc == 2) {
        ls_memory_sink memory;
        record_example(&memory);
        FILE *file = fopen(argv[1], "wb");
        bool is_written = file && fwrite(memory.data, 1, memory.bytes, file) == memory.bytes;
        ls_memory_sink_reset(&memory);
        return file && fclose(file) == 0 && is_written ? 0 : 1;
    }
    return test_main(1, argv);
}
