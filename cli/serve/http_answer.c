#include "cli/serve/http_answer.h"

#include "cli/common/build.h"
#include "cli/serve/metrics_text.h"
#include "cli/serve/process_metrics.h"
#include "cli/serve/rooms_json.h"

#include <string.h>

#define ROOMS "/rooms/"

static void print_build_info(ls_builder *text, const char *sim)
{
    const ls_metrics_label labels[] = {
        {"version", LS_BUILD_VERSION}, {"compiler", LS_BUILD_COMPILER}, {"sim", sim}};
    ls_metrics_text_head(text, "lockstep_build_info", "gauge", "The build of this server.");
    ls_metrics_text_info(text, "lockstep_build_info", labels, LS_COUNT_OF(labels));
}

static void answer_metrics(const ls_http_facts *facts, ls_http_answer *answer)
{
    answer->code = 200;
    answer->type = LS_METRICS_TEXT_TYPE;
    ls_metrics_text_print(&answer->body, facts->metrics);
    ls_process_metrics_print(&answer->body, facts->start_unix_s);
    print_build_info(&answer->body, facts->sim);
}

static bool is_hanging(const ls_http_facts *facts)
{
    uint64_t taken_ns = facts->metrics->taken_ns;
    return facts->now_ns > taken_ns && facts->now_ns - taken_ns > LS_HTTP_STALE_NS;
}

static void answer_health(const ls_http_facts *facts, ls_http_answer *answer)
{
    if (is_hanging(facts))
        ls_http_say(answer, 503, "the network thread hangs");
    else if (facts->metrics->is_stalled)
        ls_http_say(answer, 503, "all matches are stalled: the simulation hangs");
    else
        ls_http_say(answer, 200, "ok");
}

static void answer_ready(const ls_http_facts *facts, ls_http_answer *answer)
{
    const ls_metrics *metrics = facts->metrics;
    uint64_t restoring = metrics->states[LS_METRICS_RESTORING];
    if (metrics->is_draining)
        ls_http_say(answer, 503, "the server is draining");
    else if (metrics->is_awaiting)
        ls_http_say(answer, 503, "the matches of another process are awaited");
    else if (restoring && restoring == metrics->room_count)
        ls_http_say(answer, 503, "the matches are being restored");
    else
        answer_health(facts, answer);
}

static void answer_rooms(const ls_http_facts *facts, ls_http_answer *answer)
{
    answer->code = 200;
    answer->type = LS_HTTP_JSON_TYPE;
    ls_rooms_json_print(&answer->body, facts->metrics);
}

static void answer_room(const ls_http_facts *facts, const char *name, ls_http_answer *answer)
{
    answer->code = 200;
    answer->type = LS_HTTP_JSON_TYPE;
    if (!ls_rooms_json_print_one(&answer->body, facts->metrics, name))
        ls_http_say(answer, 404, "no open room has this name; /rooms lists them");
}

bool ls_http_answer_get(const ls_http_facts *facts, const char *path, ls_http_answer *answer)
{
    static const struct {
        const char *path;
        void (*run)(const ls_http_facts *facts, ls_http_answer *answer);
    } pages[] = {{"/metrics", answer_metrics},
                 {"/healthz", answer_health},
                 {"/readyz", answer_ready},
                 {"/rooms", answer_rooms}};
    *answer = (ls_http_answer){0};
    for (size_t i = 0; i < LS_COUNT_OF(pages); i++) {
        if (strcmp(path, pages[i].path) == 0) {
            pages[i].run(facts, answer);
            return true;
        }
    }
    if (strncmp(path, ROOMS, strlen(ROOMS)) == 0) {
        answer_room(facts, path + strlen(ROOMS), answer);
        return true;
    }
    ls_http_say(answer, 404,
                "there are /metrics, /healthz, /readyz, /rooms, /rooms/NAME and /lobby/rooms");
    return false;
}
