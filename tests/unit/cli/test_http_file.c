#include "cli/serve/http_file.h"

#include "test.h"

#include <sys/stat.h>

#define TOTAL 100

/* A file of the bytes 0, 1, 2 to 99. */
static ls_http_answer whole(const char *etag)
{
    ls_http_answer answer = {.code = 200, .file = tmpfile(), .file_bytes = TOTAL};
    assert_non_null(answer.file);
    for (int i = 0; i < TOTAL; i++)
        fputc(i, answer.file);
    rewind(answer.file);
    snprintf(answer.etag, sizeof answer.etag, "%s", etag);
    return answer;
}

static void end(ls_http_answer *answer)
{
    if (answer->file)
        fclose(answer->file);
    ls_free(answer->body.data);
}

/* `code` 200: the whole file. */
static void gives(const char *range, uint32_t code, uint64_t first, uint64_t bytes)
{
    ls_http_wish wish = {.is_get = true};
    ls_http_answer answer = whole("\"1\"");
    char expected[LS_HTTP_RANGE_BYTES] = "";
    snprintf(wish.range, sizeof wish.range, "%s", range);
    ls_http_file_apply(&wish, &answer);
    assert_int_equal(answer.code, code);
    if (code == 206)
        snprintf(expected, sizeof expected, "bytes %d-%d/%d", (int)first, (int)(first + bytes) - 1,
                 TOTAL);
    if (code == 416)
        snprintf(expected, sizeof expected, "bytes */%d", TOTAL);
    assert_string_equal(answer.range, expected);
    if (code == 416) {
        assert_null(answer.file);
        assert_string_equal(answer.body.data, "the file has no such part\n");
    } else {
        assert_int_equal(answer.file_bytes, bytes);
        assert_int_equal(fgetc(answer.file), first);
    }
    end(&answer);
}

TEST(test_http_file_gives_a_part)
{
    gives("bytes=0-", 206, 0, TOTAL);
    gives("bytes=0-0", 206, 0, 1);
    gives("bytes=10-19", 206, 10, 10);
    gives("bytes=99-99", 206, 99, 1);
    gives("bytes=90-200", 206, 90, 10);
    gives("bytes=7-18446744073709551615", 206, 7, TOTAL - 7);
    gives("bytes=-1", 206, 99, 1);
    gives("bytes=-200", 206, 0, TOTAL);
}

TEST(test_http_file_has_no_such_part)
{
    gives("bytes=100-", 416, 0, 0);
    gives("bytes=100-110", 416, 0, 0);
    gives("bytes=18446744073709551615-", 416, 0, 0);
    gives("bytes=-0", 416, 0, 0);
}

TEST(test_http_file_ignores_other_ranges)
{
    static const char *const others[] = {"",
                                         "bytes",
                                         "bytes=",
                                         "bytes=-",
                                         "bytes=a-b",
                                         "bytes=5",
                                         "bytes=20-10",
                                         "bytes=0-1,5-6",
                                         "bytes=0-1, 5-",
                                         "bytes= 0-1",
                                         "bytes=0-1 ",
                                         "bytes=+0-1",
                                         "bytes=0--1",
                                         "bytes=--1",
                                         "bytes=0x1-2",
                                         "lines=0-1",
                                         "bytes=18446744073709551616-",
                                         "bytes=0-18446744073709551616",
                                         "bytes=0-99999999999999999999999999999999999999"};
    for (size_t i = 0; i < LS_COUNT_OF(others); i++)
        gives(others[i], 200, 0, TOTAL);
}

TEST(test_http_file_range_is_of_get_and_of_one_version)
{
    static const struct {
        const char *if_range;
        bool is_get;
        uint32_t code;
    } cases[] = {{"", true, 206},
                 {"", false, 200},
                 {"\"1\"", true, 206},
                 {"\"2\"", true, 200},
                 {"W/\"1\"", true, 200},
                 {"\"1", true, 200},
                 {"Fri, 01 Jan 2100 00:00:00 GMT", true, 200}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_http_wish wish = {.is_get = cases[i].is_get, .range = "bytes=1-2"};
        ls_http_answer answer = whole("\"1\"");
        snprintf(wish.if_range, sizeof wish.if_range, "%s", cases[i].if_range);
        ls_http_file_apply(&wish, &answer);
        assert_int_equal(answer.code, cases[i].code);
        end(&answer);
    }
}

TEST(test_http_file_is_not_sent_again)
{
    static const struct {
        const char *none_match;
        uint32_t code;
    } cases[] = {
        {"\"1\"", 304},  {"W/\"1\"", 304}, {"\"0\", \"1\"", 304}, {"\"0\",W/\"a,b\" ,\"1\"", 304},
        {"*", 304},      {"", 200},        {"\"2\"", 200},        {"\"11\"", 200},
        {"1", 200},      {"\"1", 200},     {"\"", 200},           {",,,", 200},
        {"x \"1\"", 200}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        /* The range has no effect on 304, and GET and HEAD have the same answer. */
        for (int is_get = 0; is_get < 2; is_get++) {
            ls_http_wish wish = {.is_get = is_get};
            ls_http_answer answer = whole("\"1\"");
            snprintf(wish.none_match, sizeof wish.none_match, "%s", cases[i].none_match);
            if (cases[i].code == 304)
                snprintf(wish.range, sizeof wish.range, "bytes=1000-");
            ls_http_file_apply(&wish, &answer);
            assert_int_equal(answer.code, cases[i].code);
            assert_int_equal(answer.file == NULL, cases[i].code == 304);
            assert_string_equal(answer.etag, "\"1\"");
            assert_null(answer.body.data);
            end(&answer);
        }
    }
}

TEST(test_http_file_leaves_other_answers)
{
    const ls_http_wish wish = {.is_get = true, .none_match = "*", .range = "bytes=0-1"};
    ls_http_answer answer = {0};
    ls_http_say(&answer, 404, "there is no such file");
    ls_http_file_apply(&wish, &answer);
    assert_int_equal(answer.code, 404);
    end(&answer);
    answer = whole("");
    ls_http_file_apply(&wish, &answer);
    assert_int_equal(answer.code, 200);
    end(&answer);
}

TEST(test_http_file_is_packed_for_clients_that_take_it)
{
    static const struct {
        const char *encoding;
        bool is_packed;
    } cases[] = {{"gzip", true},
                 {"gzip, deflate, br, zstd", true},
                 {"deflate,GZIP", true},
                 {"br\t, \tgzip\t;q=0.5", true},
                 {"gzip;q=1", true},
                 {"gzip;q=0.001", true},
                 {"", false},
                 {"identity", false},
                 {"*", false},
                 {"gzip;q=0", false},
                 {"gzip; q=0.000, br;q=1", false},
                 {"gzip ;q=", false},
                 {"gzip;", false},
                 {"gzipped", false},
                 {"gzip gzip", false},
                 {"xgzip", false},
                 {",,, ,", false},
                 {"br;q=gzip", false}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_http_wish wish = {.is_get = true, .range = "bytes=7-"};
        ls_http_answer answer = whole("\"1\"");
        answer.packed = tmpfile();
        assert_non_null(answer.packed);
        fputs("packed bytes", answer.packed);
        rewind(answer.packed);
        answer.packed_bytes = strlen("packed bytes");
        snprintf(wish.encoding, sizeof wish.encoding, "%s", cases[i].encoding);
        ls_http_file_choose(&wish, &answer);
        assert_int_equal(answer.is_packed, cases[i].is_packed);
        assert_true(answer.varies && !answer.packed);
        /* A part is one of the file that is chosen. */
        ls_http_file_apply(&wish, &answer);
        assert_string_equal(answer.range, cases[i].is_packed ? "bytes 7-11/12" : "bytes 7-99/100");
        assert_int_equal(fgetc(answer.file), cases[i].is_packed ? 'b' : 7);
        end(&answer);
    }
    ls_http_wish all = {.encoding = "gzip"};
    ls_http_answer plain = whole("\"1\"");
    ls_http_file_choose(&all, &plain);
    assert_false(plain.varies || plain.is_packed);
    end(&plain);
}

/* An answer without the file is not packed. */
TEST(test_http_file_says_no_encoding_of_other_bodies)
{
    ls_http_wish wish = {.is_get = true, .encoding = "gzip", .range = "bytes=100-"};
    ls_http_answer answer = whole("\"1\"");
    answer.packed = tmpfile();
    ls_http_file_choose(&wish, &answer);
    assert_true(answer.is_packed);
    ls_http_file_apply(&wish, &answer);
    assert_int_equal(answer.code, 416);
    assert_false(answer.is_packed);
    end(&answer);
}

/* A manifest is replaced by a rename, perhaps twice within one step of the file system's clock. */
TEST(test_http_file_names_each_version)
{
    const struct timespec times[2] = {{.tv_sec = 5}, {.tv_sec = 5}},
                          later[2] = {{.tv_sec = 5}, {.tv_sec = 5, .tv_nsec = 1000}};
    ls_http_answer first = whole(""), second = whole(""), none = {0};
    char name[LS_HTTP_ETAG_BYTES], longest[LS_HTTP_ETAG_BYTES];
    futimens(fileno(first.file), times);
    futimens(fileno(second.file), times);
    ls_http_file_name_version(&first);
    ls_http_file_name_version(&second);
    assert_string_not_equal(first.etag, second.etag);
    memcpy(name, first.etag, sizeof name);
    ls_http_file_name_version(&first);
    assert_string_equal(first.etag, name);
    futimens(fileno(first.file), later);
    ls_http_file_name_version(&first);
    assert_string_not_equal(first.etag, name);
    memcpy(name, second.etag, sizeof name);
    fseek(second.file, 0, SEEK_END);
    fputc('x', second.file);
    fflush(second.file);
    futimens(fileno(second.file), times);
    ls_http_file_name_version(&second);
    assert_string_not_equal(second.etag, name);
    assert_true(snprintf(longest, sizeof longest, "\"%jx-%jx-%jx.%jx\"", UINTMAX_MAX, UINTMAX_MAX,
                         UINTMAX_MAX, UINTMAX_MAX) < LS_HTTP_ETAG_BYTES);
    ls_http_file_name_version(&none);
    assert_string_equal(none.etag, "");
    end(&first);
    end(&second);
}
