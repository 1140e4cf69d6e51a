#include "cli/lobby/lobby_service.h"

#include "cli/common/clock.h"
#include "cli/common/log.h"
#include "cli/common/signals.h"
#include "cli/common/token_key_file.h"
#include "cli/lobby/lobby_call.h"
#include "cli/serve/http.h"
#include "cli/serve/http_address.h"
#include "cli/serve/http_token.h"
#include "core/base/platform.h"
#include "server/event_log.h"

#include <inttypes.h>
#include <lockstep/entropy.h>
#include <stdio.h>
#include <string.h>

/* Servers that are asked for one room before it is refused. */
#define ATTEMPTS_MAX 3

typedef struct ls_lobby_service {
    const ls_lobby_options *options;
    ls_log log;
    ls_http_token token;
    ls_token_key key;
    ls_http *http;
    ls_lobby_redis *orders;      /* the connection for orders; only the thread for POST uses it */
    uint64_t seed, orders_count; /* make the names of answers unique */
    /* time of the last log line about a wrong token; only the HTTP thread uses it */
    uint64_t refused_ns;
    ls_mutex mutex;
    ls_lobby_directory directory; /* under the mutex, with the following */
    uint64_t read_ns;             /* when Redis last gave it; 0: never */
} ls_lobby_service;

/* Locks the directory unless it is too old. */
static const ls_lobby_directory *begin(void *context, ls_error *error)
{
    ls_lobby_service *self = context;
    uint64_t now_ns = ls_monotonic_ns();
    ls_mutex_lock(&self->mutex);
    if (self->read_ns && now_ns - self->read_ns < LS_LOBBY_STALE_S * LS_SECOND_NS)
        return &self->directory;
    ls_mutex_unlock(&self->mutex);
    (void)ls_error_set(error, LS_ERROR_FAILED, "Redis does not answer: ask again later");
    return NULL;
}

static void end(void *context)
{
    ls_mutex_unlock(&((ls_lobby_service *)context)->mutex);
}

/* Chooses a server, and promises it the room until the server lists it. */
static ls_status choose(ls_lobby_service *self, const ls_lobby_order *order,
                        char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    const char *sim = order->sim[0] ? order->sim : NULL;
    const ls_lobby_directory *directory = begin(self, error);
    if (!directory)
        return LS_ERROR_FAILED;
    ls_status status = LS_OK;
    ls_lobby_entry *entry = ls_lobby_directory_choose(directory, sim);
    if (ls_lobby_directory_find(directory, order->room, NULL))
        status = ls_error_set(error, LS_ERROR_REFUSED, "a room of this name is open");
    else if (!entry)
        status = ls_error_set(error, LS_ERROR_LIMIT, "no server%s%s has a free room",
                              sim ? " of " : "", order->sim);
    else {
        entry->promised++;
        entry->promised_ns = ls_monotonic_ns();
        snprintf(address, LS_SERVER_ADDRESS_TEXT_BYTES, "%s", entry->address);
    }
    end(self);
    return status;
}

/* Sends no more orders to a server that did not answer, until the directory is read again. */
static void shun(ls_lobby_service *self, const char *address)
{
    ls_mutex_lock(&self->mutex);
    ls_lobby_entry *entry = ls_lobby_directory_server(&self->directory, address);
    if (entry)
        entry->is_draining = true;
    ls_mutex_unlock(&self->mutex);
}

static void take_back(ls_lobby_service *self, const char *address)
{
    ls_mutex_lock(&self->mutex);
    ls_lobby_entry *entry = ls_lobby_directory_server(&self->directory, address);
    if (entry && entry->promised)
        entry->promised--;
    ls_mutex_unlock(&self->mutex);
}

/* Has one server open the room. `*is_answer`: the server has answered. */
static ls_status order_at(ls_lobby_service *self, const ls_lobby_order *order, const char *address,
                          bool *is_answer, ls_error *error)
{
    char reply[LS_LOBBY_REPLY_BYTES];
    ls_builder json = {0}, answer = {0};
    snprintf(reply, sizeof reply, LS_LOBBY_REPLY "%016" PRIx64 "%" PRIu64, self->seed,
             ++self->orders_count);
    ls_lobby_order_print(order, reply, &json);
    ls_status status =
        ls_lobby_redis_order(self->orders, address, reply, json.data, &answer, error);
    *is_answer = status == LS_OK;
    if (!status && answer.count)
        status = ls_error_set(error, LS_ERROR_REFUSED, "%.*s",
                              (int)(answer.count < 400 ? answer.count : 400), answer.data);
    ls_free(json.data);
    ls_free(answer.data);
    return status;
}

static ls_status try_servers(ls_lobby_service *self, const ls_lobby_order *order,
                             char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    ls_status status = LS_OK;
    bool is_answer = false;
    for (int i = 0; i < ATTEMPTS_MAX && !is_answer; i++) {
        ls_error why;
        ls_status chosen = choose(self, order, address, &why);
        if (chosen && i == 0)
            *error = why;
        if (chosen)
            return i == 0 ? chosen : status;
        status = order_at(self, order, address, &is_answer, error);
        if (status == LS_ERROR_IO)
            return status;
        if (!is_answer)
            shun(self, address);
        else if (status)
            take_back(self, address);
    }
    return status;
}

/* The connection for orders, opened anew after a failure. */
static ls_status connect_orders(ls_lobby_service *self, ls_error *error)
{
    return self->orders ? LS_OK : ls_lobby_redis_open(&self->options->redis, &self->orders, error);
}

static void drop_orders(ls_lobby_service *self)
{
    ls_lobby_redis_close(self->orders);
    self->orders = NULL;
}

static ls_status find_new(void *context, const char *room,
                          char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    ls_lobby_service *self = context;
    ls_status status = connect_orders(self, error);
    if (!status)
        status = ls_lobby_redis_find_place(self->orders, room, address, error);
    if (status == LS_ERROR_IO)
        drop_orders(self);
    return status;
}

static ls_status open_room(void *context, const ls_lobby_order *order,
                           char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    ls_lobby_service *self = context;
    ls_status status = connect_orders(self, error);
    if (!status)
        status = ls_lobby_redis_reserve(self->orders, order->room, error);
    if (status == LS_ERROR_REFUSED)
        return status;
    if (!status) {
        status = try_servers(self, order, address, error);
        if (status && status != LS_ERROR_IO &&
            ls_lobby_redis_release(self->orders, order->room, NULL) != LS_OK)
            status = LS_ERROR_IO;
        /* The room is open even if this fails: then players find it when its server lists it. */
        if (!status && ls_lobby_redis_note_place(self->orders, order->room, address, NULL))
            drop_orders(self);
    }
    if (status == LS_ERROR_IO)
        drop_orders(self);
    return status;
}

static void note_call(void *context, const ls_lobby_note *note)
{
    ls_lobby_service *self = context;
    char room[LS_EVENT_LOG_QUOTED_BYTES], client[LS_EVENT_LOG_QUOTED_BYTES];
    ls_builder line = {0};
    ls_builder_add(&line, "lobby_call address=%s call=%s room=%s", note->from, note->call,
                   ls_event_log_quote(note->room, room));
    if (note->client[0])
        ls_builder_add(&line, " client=%s", ls_event_log_quote(note->client, client));
    ls_builder_add(&line, " server=%s", note->server);
    ls_log_line(&self->log, line.data);
    ls_free(line.data);
}

static ls_lobby_calls calls_of(ls_lobby_service *self)
{
    return (ls_lobby_calls){.begin = begin,
                            .end = end,
                            .open = open_room,
                            .find_new = find_new,
                            .note = note_call,
                            .key = self->options->token_key ? &self->key : NULL,
                            .context = self};
}

static void answer_get(void *context, const char *path, ls_http_answer *answer)
{
    ls_lobby_calls calls = calls_of(context);
    ls_error error;
    if (strcmp(path, "/healthz") != 0) {
        ls_lobby_call_get(&calls, path, answer);
    } else if (begin(context, &error)) {
        end(context);
        ls_http_say(answer, 200, "ok");
    } else {
        ls_http_say(answer, 503, error.text);
    }
}

static bool admits(void *context, const ls_http_post *post, ls_http_answer *answer)
{
    ls_lobby_service *self = context;
    uint64_t now_ns = ls_monotonic_ns();
    if (!ls_lobby_call_takes_post(post->path)) {
        ls_http_refuse_method(answer, "GET, HEAD");
        return false;
    }
    if (self->options->token && ls_http_token_is_in(&self->token, post->authorization))
        return true;
    ls_lobby_call_fail(answer, 401,
                       "the header Authorization is not `Bearer TOKEN` with the token of "
                       "--http-token");
    if (now_ns - self->refused_ns >= LS_SECOND_NS) {
        self->refused_ns = now_ns;
        ls_log_print(&self->log, "lobby_refused address=%s", post->from);
    }
    return false;
}

static void answer_post(void *context, const ls_http_post *post, ls_http_answer *answer)
{
    ls_lobby_calls calls = calls_of(context);
    ls_lobby_call_post(&calls, post, answer);
}

static void take_entry(void *context, const char *json, size_t bytes)
{
    ls_lobby_entry entry;
    if (ls_lobby_entry_read(json, bytes, &entry, NULL) == LS_OK)
        ls_lobby_directory_add(context, &entry);
}

static ls_status refresh(ls_lobby_service *self, ls_lobby_redis **redis, ls_error *error)
{
    ls_lobby_directory next = {0}, last;
    ls_status status = *redis ? LS_OK : ls_lobby_redis_open(&self->options->redis, redis, error);
    if (!status)
        status = ls_lobby_redis_list(*redis, take_entry, &next, error);
    if (status) {
        ls_lobby_directory_reset(&next);
        ls_lobby_redis_close(*redis);
        *redis = NULL;
        return status;
    }
    ls_lobby_directory_finish(&next);
    ls_mutex_lock(&self->mutex);
    last = self->directory;
    ls_lobby_directory_keep_promises(&next, &last, ls_monotonic_ns());
    self->directory = next;
    self->read_ns = ls_monotonic_ns();
    ls_mutex_unlock(&self->mutex);
    ls_lobby_directory_reset(&last);
    return LS_OK;
}

static void note(ls_lobby_service *self, bool is_lost, uint32_t servers, const ls_error *error)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    if (is_lost)
        ls_log_print(&self->log, "lobby_lost reason=%s", ls_event_log_quote(error->text, quoted));
    else
        ls_log_print(&self->log, "lobby_found servers=%" PRIu32, servers);
}

/* Reads the directory again and again. */
static void serve(ls_lobby_service *self)
{
    ls_lobby_redis *redis = NULL;
    ls_error error;
    bool was_lost = false, is_first = true;
    while (!ls_signals_stop_is_requested()) {
        bool is_lost = refresh(self, &redis, &error) != LS_OK;
        if (is_first || is_lost != was_lost)
            note(self, is_lost, self->directory.count, &error);
        was_lost = is_lost;
        is_first = false;
        uint64_t until_ns = ls_monotonic_ns() + LS_LOBBY_REFRESH_MS * LS_NS_PER_MS;
        while (!ls_signals_stop_is_requested() && ls_monotonic_ns() < until_ns)
            ls_clock_sleep_until(ls_monotonic_ns() + LS_SECOND_NS / 20);
    }
    ls_lobby_redis_close(redis);
}

static ls_status open_all(ls_lobby_service *self, ls_error *error)
{
    const ls_lobby_options *options = self->options;
    const ls_http_config http = {.option = "--http",
                                 .listen = options->http,
                                 .policy = "default-src 'none'; frame-ancestors 'none'",
                                 .answer = answer_get,
                                 .admits = admits,
                                 .post = answer_post,
                                 .context = self};
    ls_status status = ls_log_open(options->log, &self->log, error);
    if (!status)
        status = ls_lobby_redis_check("--redis", &options->redis, error);
    if (!status && options->token)
        status = ls_http_token_read(options->token, &self->token, error);
    if (!status && options->token_key)
        status = ls_token_key_file_read(options->token_key, &self->key, error);
    if (!status)
        status = ls_log_detach(&self->log, error);
    return status ? status : ls_http_open(&http, &self->http, error);
}

ls_status ls_lobby_service_run(const ls_lobby_options *options, ls_error *error)
{
    ls_lobby_service self = {.options = options};
    char address[LS_HTTP_ADDRESS_BYTES];
    ls_mutex_init(&self.mutex);
    ls_entropy_fill(NULL, &self.seed, sizeof self.seed);
    ls_status status = open_all(&self, error);
    if (!status) {
        ls_http_address_print(options->http, ls_http_port(self.http), address);
        printf("listening %s\n", address);
        fflush(stdout);
        serve(&self);
    }
    ls_http_close(self.http);
    ls_lobby_redis_close(self.orders);
    ls_lobby_directory_reset(&self.directory);
    ls_token_key_reset(&self.key);
    ls_mutex_destroy(&self.mutex);
    return ls_log_close(&self.log, status, error);
}
