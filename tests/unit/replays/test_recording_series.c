/* A match in several files: ordered, without files of another match, and each file covered by the
 * signature of the next. */
#include <lockstep/recording_series.h>

#include <lockstep/file_sink.h>

#include "sample.h"

typedef struct fixture {
    char directory[64];
    char paths[4][128];
} fixture;

/* Records the ticks from `first` to `end` of the match. The recorder stays open, as after a disk
 * error. `before` is the previous file's recorder. */
static ls_recorder *record(const char *path, uint32_t segment, uint64_t first, uint64_t end,
                           const ls_recorder *before)
{
    ls_recorder *recorder;
    ls_recording_header header = sample_header();
    const ls_identity identity = sample_identity();
    ls_recording_link link;
    uint8_t bytes[32];
    const ls_recording_keyframe keyframe = sample_keyframe(first, bytes);
    ls_recorder_config config = {.name = path, .header = &header, .identity = &identity};
    header.segment = segment;
    header.first_tick = first;
    if (segment) {
        header.origin = header.salt;
        header.salt += segment;
        config.keyframe = &keyframe;
        assert_true(ls_recorder_get_link(before, &link));
        config.link = &link;
    }
    remove(path);
    assert_ok(ls_file_sink_create(path, &config.sink, NULL));
    assert_ok(ls_recorder_begin(&config, &recorder, NULL));
    sample_append(recorder, end);
    return recorder;
}

/* Ticks 0 to 29, 32 to 63, and 64 to 79. The first two files end unsigned; number 2 was never
 * made. */
static void begin(fixture *f)
{
    static const char *const names[] = {"a.lsr", "a.1.lsr", "a.3.lsr", "a.2.lsr"};
    test_directory_make(f->directory);
    for (uint32_t i = 0; i < 4; i++)
        snprintf(f->paths[i], sizeof f->paths[i], "%s/%s", f->directory, names[i]);
    ls_recorder *first = record(f->paths[0], 0, 0, 20, NULL);
    assert_ok(ls_recorder_sign(first, NULL));
    sample_append(first, 30);
    ls_recorder *second = record(f->paths[1], 1, 32, 64, first);
    assert_ok(ls_recorder_sign(second, NULL));
    ls_recorder *third = record(f->paths[2], 3, 64, 80, second);
    assert_ok(sample_finish(third, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(first);
    ls_recorder_destroy(second);
    ls_recorder_destroy(third);
}

static ls_series *open_all(const fixture *f, uint32_t count)
{
    ls_series *series;
    ls_error error;
    if (ls_series_open(f->paths[0], &series, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(series->count, count);
    return series;
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "r+be");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void assert_signed(const ls_series *series, uint64_t tick, uint64_t unsigned_ticks)
{
    ls_series_signed vouched;
    assert_ok(ls_series_check_signatures(series, &vouched, NULL));
    assert_true(vouched.has_key && vouched.is_any);
    assert_int_equal(vouched.tick, tick);
    assert_int_equal(vouched.unsigned_ticks, unsigned_ticks);
}

TEST(test_recording_series_is_signed_through_all_files)
{
    fixture f;
    begin(&f);
    ls_series *series = open_all(&f, 3);
    assert_string_equal(series->names[2], f.paths[2]);
    assert_int_equal(ls_series_end_tick(series, 0), 30);
    assert_int_equal(ls_series_end_tick(series, 2), 80);
    assert_int_equal(ls_series_lost_ticks(series), 2);
    assert_signed(series, 80, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(sample_read(series->files[i], NULL));
    ls_series_close(series);
    /* Opening a later file gives only that file. */
    assert_ok(ls_series_open(f.paths[1], &series, NULL));
    assert_int_equal(series->count, 1);
    ls_series_close(series);
    test_directory_remove(f.directory);
}

/* A match without a tick is signed by a signature alone. One before ticks that are not signed, or a
 * file that was cut before its signature, is not. */
TEST(test_recording_series_without_a_tick)
{
    const ls_recording_header header = sample_header();
    const ls_identity identity = sample_identity();
    for (uint64_t ticks = 0; ticks < 2; ticks++) {
        ls_memory_sink memory;
        ls_recorder *recorder;
        ls_memory_sink_init(&memory);
        const ls_recorder_config config = {.sink = ls_memory_sink_open(&memory),
                                           .name = "m.lsr",
                                           .header = &header,
                                           .identity = &identity};
        assert_ok(ls_recorder_begin(&config, &recorder, NULL));
        size_t unsigned_bytes = memory.bytes;
        assert_ok(ls_recorder_sign(recorder, NULL));
        sample_append(recorder, ticks);
        assert_ok(ls_recorder_sync(recorder, NULL));
        ls_recorder_destroy(recorder);
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            ls_recording *recording;
            ls_series_signed vouched;
            assert_ok(ls_recording_open_memory(
                "m.lsr", memory.data, is_cut ? unsigned_bytes : memory.bytes, &recording, NULL));
            ls_series series = {.files = &recording, .count = 1};
            assert_ok(ls_series_check_signatures(&series, &vouched, NULL));
            assert_int_equal(vouched.is_any, !ticks && !is_cut);
            assert_int_equal(vouched.tick, 0);
            assert_int_equal(vouched.unsigned_ticks, is_cut ? 0 : ticks);
            ls_recording_close(recording);
        }
        ls_memory_sink_reset(&memory);
    }
}

/* Where two files meet, either may contain the root. */
TEST(test_recording_series_finds_the_root_in_any_file)
{
    static const uint64_t ticks[] = {0, 29, 32, 63, 64, 80};
    fixture f;
    uint64_t root;
    begin(&f);
    ls_series *series = open_all(&f, 3);
    for (size_t i = 0; i < LS_COUNT_OF(ticks); i++) {
        assert_true(ls_series_find_root(series, ticks[i], &root));
        assert_int_equal(root, sample_root(ticks[i]));
    }
    assert_false(ls_series_find_root(series, 31, &root));
    assert_false(ls_series_find_root(series, 81, &root));
    ls_series_close(series);
    test_directory_remove(f.directory);
}

static uint64_t read_ticks(ls_recording *one, uint64_t first)
{
    for (uint64_t expected = first;; expected++) {
        const ls_recording_tick *tick;
        assert_ok(ls_recording_next(one, &tick, NULL));
        const ls_recording_roots *roots = tick ? &tick->roots : &ls_recording_get_end(one)->roots;
        assert_true(roots->count <= 1);
        if (roots->count) {
            assert_int_equal(roots->first_tick, expected);
            assert_int_equal(roots->values[0], sample_root(expected));
        }
        if (!tick)
            return expected;
        assert_int_equal(tick->frame.tick, expected);
    }
}

/* Files that meet are read as one, up to a gap. */
TEST(test_recording_series_is_read_as_one)
{
    fixture f;
    uint64_t root, behind;
    begin(&f);
    ls_recording *one = ls_series_join(open_all(&f, 3));
    assert_int_equal(read_ticks(one, 0), 30);
    assert_string_equal(ls_recording_after_gap(one, &behind), f.paths[1]);
    assert_int_equal(behind, 32);
    assert_int_equal(ls_recording_seek(one, 31, NULL), LS_ERROR_USAGE);
    ls_recording_close(one);

    /* This series has no gap, and no roots where its files meet. */
    ls_recorder *first = record(f.paths[0], 0, 0, 32, NULL);
    ls_recorder_destroy(first);
    one = ls_series_join(open_all(&f, 3));
    assert_int_equal(ls_recording_series(one)->count, 3);
    assert_null(ls_recording_after_gap(one, &behind));
    assert_int_equal(ls_recording_find_end(one)->tick_count, 80);
    assert_int_equal(read_ticks(one, 0), 80);
    assert_int_equal(ls_recording_get_end(one)->tick_count, 80);
    assert_int_equal(ls_recording_get_end(one)->kind, LS_RECORDING_CLEAN);
    static const uint64_t ticks[] = {0, 31, 32, 64, 80, 10};
    for (size_t i = 0; i < LS_COUNT_OF(ticks); i++) {
        assert_ok(ls_recording_seek(one, ticks[i], NULL));
        assert_int_equal(read_ticks(one, ticks[i]), 80);
    }
    const ls_recording_keyframe *keyframes;
    assert_int_equal(ls_recording_keyframes(one, &keyframes), 2);
    assert_int_equal(keyframes[1].tick, 64);
    assert_true(ls_recording_find_root(one, 80, &root));
    assert_int_equal(root, sample_root(80));
    ls_recording_close(one);
    test_directory_remove(f.directory);
}

/* Bytes at the end of the first file have changed: only ticks under its own signature count as
 * signed. */
TEST(test_recording_series_does_not_vouch_for_changed_bytes)
{
    fixture f;
    begin(&f);
    ls_recording *recording;
    assert_ok(ls_recording_open(f.paths[0], &recording, NULL));
    long bytes = (long)ls_recording_find_end(recording)->valid_bytes;
    ls_recording_close(recording);
    flip(f.paths[0], bytes - 1);
    ls_series *series = open_all(&f, 3);
    assert_int_equal(ls_series_end_tick(series, 0), 29);
    assert_signed(series, 20, 9 + 32 + 16);
    ls_series_close(series);
    test_directory_remove(f.directory);
}

TEST(test_recording_series_knows_its_own_files)
{
    fixture f;
    begin(&f);
    /* A file with the next name that belongs to another match is ignored. */
    ls_recorder *alien = record(f.paths[3], 0, 0, 5, NULL);
    ls_recorder_destroy(alien);
    ls_series *series = open_all(&f, 3);
    ls_series_close(series);
    /* An unreadable file with the next name may belong to the series, so opening fails. */
    flip(f.paths[1], 40);
    ls_error error;
    assert_int_equal(ls_series_open(f.paths[0], &series, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "a.1.lsr"));
    assert_null(series);
    test_directory_remove(f.directory);
}

TEST(test_recording_series_refuses_files_that_overlap)
{
    fixture f;
    ls_series *series;
    ls_error error;
    begin(&f);
    ls_recorder *first = record(f.paths[0], 0, 0, 40, NULL);
    ls_recorder_destroy(first);
    assert_int_equal(ls_series_open(f.paths[0], &series, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "begins with tick 32"));
    test_directory_remove(f.directory);
}

TEST(test_recording_series_names)
{
    char first[32];
    char *name = ls_series_name("a/b.lsr", 12);
    assert_string_equal(name, "a/b.12.lsr");
    assert_true(ls_series_first_name(name, 12, first, sizeof first));
    assert_string_equal(first, "a/b.lsr");
    assert_false(ls_series_first_name(name, 2, first, sizeof first));
    assert_false(ls_series_first_name(name, 12, first, 7));
    assert_false(ls_series_first_name("a/b.lsr", 0, first, sizeof first));
    ls_free(name);
    name = ls_series_name("plain", 1);
    assert_string_equal(name, "plain.1");
    ls_free(name);
}

TEST(test_recording_series_stem_precedes_the_ending)
{
    static const struct {
        const char *name;
        int bytes;
    } cases[] = {{"a/b.lsr", 3}, {"b.12.lsr", 4}, {"b.lsr.quarantined", 17},
                 {"b", 1},       {"x.lsr", 1},    {".lsr", 4},
                 {"lsr", 3},     {"", 0}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++)
        assert_int_equal(ls_series_stem(cases[i].name), cases[i].bytes);
}

TEST(test_recording_series_number_is_of_a_later_file)
{
    static const char *const without[] = {"a.lsr", "a.0.lsr", "a.x.lsr", "a12.lsr", "a.3", ".3"};
    uint32_t number;
    assert_true(ls_series_number("a/b.12.lsr", &number));
    assert_int_equal(number, 12);
    for (size_t i = 0; i < LS_COUNT_OF(without); i++)
        assert_false(ls_series_number(without[i], &number));
}
