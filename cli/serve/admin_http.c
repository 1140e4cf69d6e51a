#include "cli/serve/admin_http.h"

#include "cli/common/admin_json.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/lobby/lobby_call.h"
#include "core/base/json_writer.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <string.h>

#define FOLDER "/admin/"

void ls_admin_http_init(ls_admin_http *http, const ls_admin_facts *facts)
{
    *http = (ls_admin_http){.facts = facts};
    ls_mutex_init(&http->mutex);
}

void ls_admin_http_destroy(ls_admin_http *http)
{
    ls_mutex_destroy(&http->mutex);
}

void ls_admin_http_set_token(ls_admin_http *http, const ls_http_token *token)
{
    ls_mutex_lock(&http->mutex);
    http->token = *token;
    ls_mutex_unlock(&http->mutex);
}

static bool has_token(ls_admin_http *http, const char *authorization)
{
    ls_mutex_lock(&http->mutex);
    ls_http_token token = http->token;
    ls_mutex_unlock(&http->mutex);
    return ls_http_token_is_in(&token, authorization);
}

static void log_refusal(ls_admin_http *http, const char *from)
{
    uint64_t now_ns = ls_monotonic_ns();
    http->refused++;
    if (http->logged_ns && now_ns - http->logged_ns < LS_SECOND_NS)
        return;
    ls_log_print(http->facts->log, "admin_refused address=%s count=%" PRIu64, from, http->refused);
    http->refused = 0;
    http->logged_ns = now_ns;
}

static void say_error(ls_http_answer *answer, uint32_t code, ls_exit exit_code, const char *text)
{
    answer->code = code;
    answer->type = LS_HTTP_JSON_TYPE;
    ls_json_open(&answer->body, NULL, '{');
    ls_json_string(&answer->body, "error", text);
    ls_json_u64(&answer->body, "code", exit_code);
    ls_json_close(&answer->body, '}');
    ls_builder_add(&answer->body, "\n");
}

static ls_admin_verb find_verb(const char *path)
{
    return ls_admin_verb_find(path + strlen(FOLDER));
}

bool ls_admin_http_admits(ls_admin_http *http, const ls_http_post *post, ls_http_answer *answer)
{
    bool is_here = strncmp(post->path, FOLDER, strlen(FOLDER)) == 0;
    bool is_lobby = ls_lobby_call_takes_post(post->path);
    if (!is_here && !is_lobby) {
        ls_http_refuse_method(answer, "GET, HEAD");
    } else if (!http) {
        ls_http_say(answer, 404, "there is no such path");
    } else if (!has_token(http, post->authorization)) {
        log_refusal(http, post->from);
        say_error(answer, 401, LS_EXIT_REFUSED,
                  "the header Authorization is not `Bearer TOKEN` with the server's token");
    } else if (is_lobby) {
        return true;
    } else if (find_verb(post->path) == LS_ADMIN_VERBS) {
        say_error(answer, 404, LS_EXIT_USAGE,
                  "there is no such action: `lockstep admin` lists them");
    } else {
        return true;
    }
    return false;
}

static uint32_t code_of(ls_admin_verb verb, ls_status status)
{
    switch (status) {
    case LS_ERROR_NOT_FOUND:
        return 404;
    case LS_ERROR_REFUSED:
        return 409;
    case LS_ERROR_IO:
    case LS_ERROR_FAILED:
        return 503;
    default:
        return verb == LS_ADMIN_RELOAD ? 409 : 400; /* for `reload` a file is wrong */
    }
}

void ls_admin_http_answer(const ls_admin_http *http, const ls_http_post *post,
                          ls_http_answer *answer)
{
    const ls_admin_caller caller = {.address = post->from};
    ls_admin_verb verb = find_verb(post->path);
    ls_admin_result result = {0};
    ls_builder line = {0};
    result.status = ls_admin_json_read(verb, post->body, post->bytes, &line, &result.error);
    if (!result.status)
        ls_admin_answer_do(http->facts, &caller, line.data, line.count, &result);
    if (!result.status)
        result.status = ls_admin_json_print(verb, result.body.data, result.is_table, &answer->body,
                                            &result.error);
    if (result.status)
        say_error(answer, code_of(verb, result.status), ls_exit_of(result.status),
                  result.error.text);
    else
        answer->code = 200;
    answer->type = LS_HTTP_JSON_TYPE;
    ls_free(result.body.data);
    ls_free(line.data);
}
