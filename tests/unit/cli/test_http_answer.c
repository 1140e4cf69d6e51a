#include "cli/serve/http_answer.h"

#include "test.h"

static void answers(const ls_metrics *metrics, const char *path, uint32_t code, const char *body)
{
    const ls_http_facts facts = {.sim = "sim", .now_ns = 100 * S, .metrics = metrics};
    ls_http_answer answer;
    bool is_page = strncmp(path, "/rooms", 6) == 0 && path[6] != 'x';
    is_page |= strcmp(path, "/healthz") == 0 || strcmp(path, "/readyz") == 0;
    assert_int_equal(ls_http_answer_get(&facts, path, &answer), is_page);
    assert_int_equal(answer.code, code);
    assert_string_equal(answer.body.data, body);
    ls_free(answer.body.data);
}

TEST(test_http_answer_tells_health)
{
    ls_metrics metrics = {.taken_ns = 99 * S};
    answers(&metrics, "/healthz", 200, "ok\n");
    answers(&metrics, "/readyz", 200, "ok\n");
    metrics.is_stalled = true;
    answers(&metrics, "/healthz", 503, "all matches are stalled: the simulation hangs\n");
    answers(&metrics, "/readyz", 503, "all matches are stalled: the simulation hangs\n");
    metrics.taken_ns = 94 * S;
    answers(&metrics, "/healthz", 503, "the network thread hangs\n");
    metrics.taken_ns = 101 * S; /* published since the request was read */
    metrics.is_stalled = false;
    answers(&metrics, "/healthz", 200, "ok\n");
}

TEST(test_http_answer_tells_when_players_may_come)
{
    ls_metrics metrics = {.taken_ns = 99 * S, .room_count = 2, .states[LS_METRICS_RESTORING] = 2};
    answers(&metrics, "/readyz", 503, "the matches are being restored\n");
    answers(&metrics, "/healthz", 200, "ok\n");
    metrics.room_count = 3;
    metrics.is_awaiting = true;
    answers(&metrics, "/readyz", 503, "the matches of another process are awaited\n");
    metrics.is_awaiting = false;
    answers(&metrics, "/readyz", 200, "ok\n");
    metrics.is_draining = true;
    answers(&metrics, "/readyz", 503, "the server is draining\n");
    answers(&metrics, "/healthz", 200, "ok\n");
}

TEST(test_http_answer_finds_paths)
{
    static const char none[] =
        "there are /metrics, /healthz, /readyz, /rooms, /rooms/NAME and /lobby/rooms\n";
    static const char *const wrong[] = {"", "/", "/metrics/", "metrics", "/room", "/roomsx"};
    ls_metrics metrics = {0};
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++)
        answers(&metrics, wrong[i], 404, none);
    answers(&metrics, "/rooms", 200, "{\"rooms\": []}\n");
    answers(&metrics, "/rooms/x", 404, "no open room has this name; /rooms lists them\n");
}
