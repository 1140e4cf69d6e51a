/* Sources of ticks: a list gives its ticks from any start and after encoding; other bytes are
 * refused as a whole. */
#include "core/base/platform.h"
#include "desync/ticks.h"
#include "tests/unit/replays/sample.h"

enum { FIRST = 1000, TICKS = 12, PLAYERS = 4 };

static ls_tick_list *make_list(bool is_closed)
{
    ls_tick_list *list = ls_tick_list_create(PLAYERS, FIRST);
    for (uint64_t tick = FIRST; tick < FIRST + TICKS; tick++) {
        sample_frame sample;
        sample_frame_init(&sample, tick);
        assert_ok(ls_tick_list_add(list, sample_root(tick), &sample.frame, NULL));
        /* The list keeps a copy. */
        memset(&sample, 0xee, sizeof sample);
    }
    if (is_closed)
        ls_tick_list_close(list, sample_root(FIRST + TICKS));
    return list;
}

static void assert_frame(const ls_frame *frame, uint64_t tick)
{
    sample_frame sample;
    sample_frame_init(&sample, tick);
    assert_int_equal(frame->tick, tick);
    assert_int_equal(frame->count, sample.frame.count);
    for (uint32_t i = 0; i < frame->count; i++) {
        assert_int_equal(frame->inputs[i].player, sample.inputs[i].player);
        assert_int_equal(frame->inputs[i].kind, sample.inputs[i].kind);
        assert_int_equal(frame->inputs[i].bytes, sample.inputs[i].bytes);
        if (frame->inputs[i].bytes)
            assert_memory_equal(frame->inputs[i].data, sample.inputs[i].data,
                                frame->inputs[i].bytes);
    }
}

static void assert_over(const ls_tick_source *source, bool is_closed)
{
    ls_source_tick tick;
    assert_ok(source->next(source->argument, NULL, &tick, NULL));
    assert_true(tick.is_over);
    assert_int_equal(tick.frame.count, 0);
    assert_int_equal(tick.roots.count, is_closed);
    if (is_closed)
        assert_int_equal(tick.roots.values[0], sample_root(FIRST + TICKS));
}

/* Asserts all ticks from `first` on, and that the end can be read repeatedly. */
static void assert_ticks(const ls_tick_list *list, uint64_t first, bool is_closed)
{
    ls_tick_cursor cursor;
    const ls_tick_source source = ls_ticks_of_list(&cursor, list, first);
    for (uint64_t at = first; at < FIRST + TICKS; at++) {
        ls_source_tick tick;
        assert_ok(source.next(source.argument, NULL, &tick, NULL));
        assert_false(tick.is_over);
        assert_frame(&tick.frame, at);
        assert_int_equal(tick.roots.first_tick, at);
        assert_int_equal(tick.roots.count, 1);
        assert_int_equal(tick.roots.values[0], sample_root(at));
    }
    assert_over(&source, is_closed);
    assert_over(&source, is_closed);
}

static void assert_list(const ls_tick_list *list)
{
    uint64_t inputs = 0;
    sample_frame sample;
    for (uint64_t tick = FIRST; tick < FIRST + TICKS; tick++) {
        sample_frame_init(&sample, tick);
        inputs += sample.frame.count;
        assert_int_equal(ls_tick_list_root(list, tick), sample_root(tick));
        assert_ticks(list, tick, true);
    }
    assert_ticks(list, FIRST + TICKS, true);
    assert_int_equal(ls_tick_list_root(list, FIRST + TICKS), sample_root(FIRST + TICKS));
    assert_int_equal(ls_tick_list_first(list), FIRST);
    assert_int_equal(ls_tick_list_count(list), TICKS);
    assert_int_equal(ls_tick_list_inputs(list), inputs);
}

TEST(test_ticks_list_returns_its_ticks_from_any_place)
{
    ls_tick_list *list = make_list(true);
    assert_list(list);
    ls_tick_list_destroy(list);
    list = make_list(false);
    assert_ticks(list, FIRST + 3, false);
    ls_tick_list_destroy(list);
    ls_tick_list_destroy(NULL);
}

TEST(test_ticks_list_says_when_it_is_full)
{
    static uint8_t bytes[LS_INPUT_BYTES_MAX];
    ls_input inputs[3];
    for (uint32_t i = 0; i < LS_COUNT_OF(inputs); i++)
        inputs[i] = (ls_input){.kind = LS_INPUT, .bytes = sizeof bytes, .data = bytes};
    ls_frame frame = {.inputs = inputs, .count = LS_COUNT_OF(inputs)};
    ls_tick_list *list = ls_tick_list_create(1, 0);
    ls_error error = {""};
    ls_status status;
    while ((status = ls_tick_list_add(list, 0, &frame, &error)) == LS_OK)
        frame.tick++;
    assert_int_equal(status, LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "256 MiB"));
    assert_int_equal(ls_tick_list_count(list), frame.tick);
    assert_true(frame.tick > (LS_TICK_LIST_BYTES_MAX >> 10));
    ls_tick_list_destroy(list);
}

TEST(test_ticks_list_goes_through_its_bytes)
{
    ls_tick_list *list = make_list(true), *copy, *none = ls_tick_list_create(1, 5);
    uint8_t *bytes, *again;
    size_t count, count_again;
    ls_tick_list_encode(list, &bytes, &count);
    assert_ok(ls_tick_list_decode(bytes, count, &copy, NULL));
    assert_list(copy);
    ls_tick_list_encode(copy, &again, &count_again);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, bytes, count);
    ls_tick_list_destroy(copy);
    ls_free(again);
    ls_free(bytes);

    ls_tick_list_close(none, 77);
    ls_tick_list_encode(none, &bytes, &count);
    assert_ok(ls_tick_list_decode(bytes, count, &copy, NULL));
    assert_int_equal(ls_tick_list_count(copy), 0);
    assert_int_equal(ls_tick_list_root(copy, 5), 77);
    ls_tick_list_destroy(copy);
    ls_free(bytes);
    ls_tick_list_destroy(none);
    ls_tick_list_destroy(list);
}

/* Decodes; false if refused. Accepted bytes must be the list's only encoding, and every tick must
 * be readable. */
static bool decode(const uint8_t *bytes, size_t count)
{
    /* An allocation of the exact size, so that a sanitizer reports any read past the end. */
    uint8_t *exact = ls_alloc(count + 1), *again;
    exact = ls_realloc(exact, count ? count : 1);
    memcpy(exact, bytes, count);
    ls_tick_list *list;
    ls_error error = {""};
    ls_status status = ls_tick_list_decode(exact, count, &list, &error);
    ls_free(exact);
    if (status != LS_OK) {
        assert_int_equal(status, LS_ERROR_CORRUPT);
        assert_null(list);
        assert_non_null(strstr(error.text, "no list of ticks"));
        return false;
    }
    ls_tick_cursor cursor;
    const ls_tick_source source = ls_ticks_of_list(&cursor, list, ls_tick_list_first(list));
    ls_source_tick tick = {0};
    for (uint64_t i = 0; i <= ls_tick_list_count(list); i++)
        assert_ok(source.next(source.argument, NULL, &tick, NULL));
    assert_true(tick.is_over);
    size_t count_again;
    ls_tick_list_encode(list, &again, &count_again);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, bytes, count);
    ls_free(again);
    ls_tick_list_destroy(list);
    return true;
}

TEST(test_ticks_bytes_may_be_anything)
{
    ls_tick_list *list = make_list(true);
    uint8_t *bytes;
    size_t count;
    uint32_t taken = 0;
    ls_tick_list_encode(list, &bytes, &count);
    ls_tick_list_destroy(list);
    assert_true(decode(bytes, count));
    for (size_t i = 0; i < count; i++)
        assert_false(decode(bytes, i));
    bytes = ls_realloc(bytes, count + 1);
    bytes[count] = 0;
    assert_false(decode(bytes, count + 1));
    for (size_t i = 0; i < 8 * count; i++) {
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        taken += decode(bytes, count);
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    /* Roots and orders may have any value; the head and lengths may not. */
    assert_in_range(taken, 64 * (TICKS + 1), 8 * count - 8 * 36);
    ls_free(bytes);
}

/* Each number of the head in turn is huge: it must be refused before memory is allocated. */
TEST(test_ticks_bytes_promise_more_than_there_is)
{
    static const struct {
        size_t at, bytes;
    } numbers[] = {{0, 8}, {8, 4}, {12, 8}, {20, 8}, {28, 8}, {36, 4}};
    ls_tick_list *list = make_list(true);
    uint8_t *bytes, kept[8];
    size_t count;
    ls_tick_list_encode(list, &bytes, &count);
    for (uint32_t i = 0; i < LS_COUNT_OF(numbers); i++) {
        uint8_t *number = bytes + numbers[i].at;
        memcpy(kept, number, numbers[i].bytes);
        for (uint32_t shift = 0; shift < 8 * numbers[i].bytes; shift++) {
            uint64_t great = UINT64_MAX << shift, bytes_of_it = ls_little_endian(great);
            memcpy(number, &bytes_of_it, numbers[i].bytes);
            bool is_first_tick = numbers[i].at == 12 && great <= UINT64_MAX - TICKS;
            assert_int_equal(decode(bytes, count), is_first_tick);
        }
        memcpy(number, kept, numbers[i].bytes);
    }
    assert_true(decode(bytes, count));
    ls_free(bytes);
    ls_tick_list_destroy(list);
}

TEST(test_ticks_of_a_recording)
{
    ls_memory_sink memory;
    ls_recording *recording;
    ls_source_tick tick;
    uint64_t root_tick = 0;
    sample_record(&memory, TICKS, true);
    assert_ok(ls_recording_open_memory("memory", memory.data, memory.bytes, &recording, NULL));
    const ls_tick_source source = ls_ticks_of_recording(recording);
    for (uint64_t at = 0; at <= TICKS; at++) {
        assert_ok(source.next(source.argument, NULL, &tick, NULL));
        assert_int_equal(tick.is_over, at == TICKS);
        if (at < TICKS)
            assert_frame(&tick.frame, at);
        for (uint32_t i = 0; i < tick.roots.count; i++)
            assert_int_equal(tick.roots.values[i], sample_root(root_tick++));
    }
    assert_int_equal(root_tick, TICKS + 1);
    ls_recording_close(recording);

    /* One changed byte in the middle: the source's error is returned. */
    memory.data[memory.bytes / 2] ^= 1;
    ls_error error = {""};
    ls_status status = LS_OK;
    assert_ok(ls_recording_open_memory("memory", memory.data, memory.bytes, &recording, NULL));
    const ls_tick_source damaged = ls_ticks_of_recording(recording);
    for (uint64_t at = 0; status == LS_OK && at <= TICKS; at++)
        status = damaged.next(damaged.argument, NULL, &tick, &error);
    assert_int_equal(status, LS_ERROR_CORRUPT);
    assert_true(error.text[0] != 0);
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
}
