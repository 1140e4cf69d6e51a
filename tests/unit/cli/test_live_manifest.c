#include "cli/watch/live_manifest.h"

#include "test.h"

#include <string.h>

static ls_live_url reads(const char *text, const char *host, uint16_t port, const char *path)
{
    ls_live_url url;
    ls_error error = {""};
    assert_true(ls_live_is_url(text));
    assert_int_equal(ls_live_url_parse(text, &url, &error), LS_OK);
    assert_string_equal(url.host, host);
    assert_int_equal(url.port, port);
    assert_string_equal(url.path, path);
    return url;
}

TEST(test_live_manifest_url_is_a_folder)
{
    reads("http://localhost:9100/live/~/", "localhost", 9100, "/live/~/");
    reads("http://localhost:9100/live/~", "localhost", 9100, "/live/~/");
    reads("http://match.example/x/live/a~20b/", "match.example", 80, "/x/live/a~20b/");
    reads("http://[::1]:80/live/1/", "::1", 80, "/live/1/");
    reads("http://[2001:db8::1]/live/1/", "2001:db8::1", 80, "/live/1/");
    assert_false(reads("http://x/live/a.lsr/", "x", 80, "/live/a.lsr/").is_file);
    assert_false(reads("http://x/a.lsr.gz", "x", 80, "/a.lsr.gz/").is_file);
    assert_true(reads("http://x/a.lsr", "x", 80, "/a.lsr").is_file);
    assert_false(reads("http://x/a.lsr", "x", 80, "/a.lsr").has_tls);
    assert_true(reads("https://x/a.lsr", "x", 443, "/a.lsr").has_tls);
    assert_true(reads("https://[::1]:8443/live/1", "::1", 8443, "/live/1/").has_tls);
    assert_false(ls_live_is_url("http.lsr"));
    assert_false(ls_live_is_url("matches/http://x.lsr"));
}

TEST(test_live_manifest_url_refuses_others)
{
    static const char *const bad[] = {"ftp://match.example/live/1/",
                                      "https://",
                                      "http://",
                                      "http:///live/1/",
                                      "http://match.example",
                                      "http://match.example/",
                                      "http://match.example/#live=1",
                                      "http://match.example/live/1/?x",
                                      "http://match.example/live/a b/",
                                      "http://match.example/live/\xc3\xa4/",
                                      "http://match.example/live/1\r\nX: y/",
                                      "http://match.example\r\nX: y/live/1/",
                                      "http://match.example:0/live/1/",
                                      "http://match.example:65536/live/1/",
                                      "http://match.example:/live/1/",
                                      "http://match.example:80x/live/1/",
                                      "http://user@match.example/live/1/",
                                      "http://[::1/live/1/",
                                      "http://[::1]x/live/1/",
                                      "http://[]/live/1/"};
    char text[LS_LIVE_PATH_BYTES + 64];
    ls_live_url url;
    ls_error error;
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++) {
        error.text[0] = 0;
        assert_int_equal(ls_live_url_parse(bad[i], &url, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "http://"));
    }
    int at = snprintf(text, sizeof text, "http://");
    memset(text + at, 'x', sizeof text - (size_t)at);
    snprintf(text + LS_LIVE_HOST_BYTES + at, 16, "/live/1/");
    assert_int_equal(ls_live_url_parse(text, &url, &error), LS_ERROR_USAGE);
    at = snprintf(text, sizeof text, "http://x/");
    memset(text + at, 'x', sizeof text - (size_t)at);
    text[sizeof text - 1] = 0;
    assert_int_equal(ls_live_url_parse(text, &url, &error), LS_ERROR_USAGE);
}

/* The writer is in cli/serve/broadcast_files.c: test_broadcast reads what it writes. */
TEST(test_live_manifest_has_two_lines)
{
    static const char *const words[] = {"live", "ended", "broken"};
    for (int i = 0; i < 3; i++) {
        char text[LS_LIVE_MANIFEST_BYTES_MAX];
        ls_live_manifest manifest;
        int bytes = snprintf(text, sizeof text,
                             "lockstep-live 1\nmatch=a-1~20_B segments=12 bytes=20316 state=%s\n",
                             words[i]);
        assert_int_equal(ls_live_manifest_read(text, (size_t)bytes, &manifest, NULL), LS_OK);
        assert_string_equal(manifest.match, "a-1~20_B");
        assert_int_equal(manifest.segments, 12);
        assert_int_equal(manifest.bytes, 20316);
        assert_int_equal(manifest.state, i);
    }
}

static void refuses(const char *text, size_t bytes, ls_status status)
{
    ls_live_manifest manifest;
    ls_error error = {""};
    assert_int_equal(ls_live_manifest_read(text, bytes, &manifest, &error), status);
    assert_true(error.text[0]);
}

#define LINE      "lockstep-live 1\n"
#define GOOD_REST " segments=1 bytes=1 state=live\n"

TEST(test_live_manifest_refuses_others)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "Hello, I am a web page.\n",
                                      "lockstep-live",
                                      "lockstep-live \n",
                                      LINE,
                                      LINE "match=a",
                                      LINE "match=a" GOOD_REST "more",
                                      LINE "match=" GOOD_REST,
                                      LINE "match=../a" GOOD_REST,
                                      LINE "match=a%2f" GOOD_REST,
                                      LINE "match=a  segments=1 bytes=1 state=live\n",
                                      LINE "match=a segments=0 bytes=1 state=live\n",
                                      LINE "match=a segments=10000000 bytes=1 state=live\n",
                                      LINE "match=a segments=1 bytes=0 state=live\n",
                                      LINE "match=a segments=1 bytes=-1 state=live\n",
                                      LINE
                                      "match=a segments=1 bytes=99999999999999999999 state=live\n",
                                      LINE "match=a segments=1 bytes=1 state=dead\n",
                                      LINE "match=a segments=1 bytes=1 state=lives\n",
                                      LINE "match=a segments=1 bytes=1 state=live",
                                      LINE "match=a segments=1 bytes=1 state=live\r\n"};
    char text[2 * LS_LIVE_MANIFEST_BYTES_MAX];
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        refuses(bad[i], strlen(bad[i]), LS_ERROR_CORRUPT);
    refuses("lockstep-live 2\nmatch=a", 23, LS_ERROR_INCOMPATIBLE);
    refuses("lockstep-live 18446744073709551617\n", 35, LS_ERROR_INCOMPATIBLE);
    const char *large = LINE "match=a segments=1 bytes=1073741825 state=live\n";
    refuses(large, strlen(large), LS_ERROR_CORRUPT);
    int bytes = snprintf(text, sizeof text, LINE "match=a" GOOD_REST "%c%s", 0, "x");
    refuses(text, (size_t)bytes, LS_ERROR_CORRUPT);
    memset(text, 'a', sizeof text);
    memcpy(text, LINE "match=", strlen(LINE "match="));
    text[sizeof text - 1] = 0;
    refuses(text, sizeof text - 1, LS_ERROR_CORRUPT);
}
