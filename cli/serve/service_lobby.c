#include "cli/serve/service_lobby.h"

#include "cli/lobby/lobby_redis.h"
#include "cli/serve/service_network.h"
#include "core/base/platform.h"
#include "server/event_log.h"

#include <stdio.h>
#include <string.h>

/* A directory of this server alone, for one thread. */
struct own_directory {
    ls_service_lobby *lobby;
    const ls_metrics *metrics; /* NULL: the network thread is asked */
    ls_lobby_directory directory;
};

struct ls_service_lobby {
    ls_service_lobby_config config;
    ls_lobby_redis_place redis;
    char address[LS_SERVER_ADDRESS_TEXT_BYTES];
    struct own_directory gets, posts;
    /* The thread of --lobby. */
    ls_thread thread;
    bool has_thread, was_lost;
    ls_mutex mutex;
    ls_wake wake;
    bool is_stopping; /* under the mutex */
};

/* Makes the server's entry of the directory. */
static void take_entry(const ls_service_lobby *self, const ls_metrics *metrics,
                       ls_lobby_entry *entry)
{
    const ls_service_options *options = self->config.options;
    snprintf(entry->address, sizeof entry->address, "%s", self->address);
    snprintf(entry->sim, sizeof entry->sim, "%s", self->config.sim);
    entry->rooms_max = options->rooms_max;
    ls_lobby_entry_take(entry, metrics);
    for (uint32_t i = 0; i < entry->room_count; i++)
        entry->rooms[i].requires_token |= options->require_token;
}

static ls_status ask_entry(ls_service_lobby *self, ls_lobby_entry *entry, ls_error *error)
{
    ls_metrics metrics = {0};
    if (!ls_service_admin_take(self->config.admin, &metrics)) {
        ls_metrics_reset(&metrics);
        return ls_error_set(error, LS_ERROR_FAILED, "the network thread hangs or has ended");
    }
    take_entry(self, &metrics, entry);
    ls_metrics_reset(&metrics);
    return LS_OK;
}

static const ls_lobby_directory *begin(void *context, ls_error *error)
{
    struct own_directory *own = context;
    ls_lobby_entry entry = {0};
    if (own->metrics)
        take_entry(own->lobby, own->metrics, &entry);
    else if (ask_entry(own->lobby, &entry, error) != LS_OK)
        return NULL;
    ls_lobby_directory_add(&own->directory, &entry);
    ls_lobby_directory_finish(&own->directory);
    return &own->directory;
}

static void end(void *context)
{
    ls_lobby_directory_reset(&((struct own_directory *)context)->directory);
}

static ls_status open_room(void *context, const ls_lobby_order *order,
                           char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    ls_service_lobby *self = ((struct own_directory *)context)->lobby;
    if (order->sim[0] && strcmp(order->sim, self->config.sim) != 0)
        return ls_error_set(error, LS_ERROR_REFUSED, "no server here has this simulation");
    snprintf(address, LS_SERVER_ADDRESS_TEXT_BYTES, "%s", self->address);
    return ls_service_admin_open_room(self->config.admin, order->from, order->room, order->wishes,
                                      error);
}

static ls_lobby_calls calls_of(ls_service_lobby *self, struct own_directory *own)
{
    own->lobby = self;
    return (ls_lobby_calls){
        .begin = begin, .end = end, .open = open_room, .key = self->config.token, .context = own};
}

void ls_service_lobby_get(ls_service_lobby *lobby, const ls_metrics *metrics, const char *path,
                          ls_http_answer *answer)
{
    ls_lobby_calls calls = calls_of(lobby, &lobby->gets);
    lobby->gets.metrics = metrics;
    ls_lobby_call_get(&calls, path, answer);
}

void ls_service_lobby_post(ls_service_lobby *lobby, const ls_http_post *post,
                           ls_http_answer *answer)
{
    ls_lobby_calls calls = calls_of(lobby, &lobby->posts);
    ls_lobby_call_post(&calls, post, answer);
}

/* Logs the first failure, and the first success after it. */
static void note(ls_service_lobby *self, ls_status status, const ls_error *error)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    if ((status != LS_OK) == self->was_lost)
        return;
    self->was_lost = status != LS_OK;
    if (status)
        ls_log_print(self->config.log, "lobby_lost reason=%s",
                     ls_event_log_quote(error->text, quoted));
    else
        ls_log_print(self->config.log, "lobby_found");
}

static ls_status announce(ls_service_lobby *self, ls_lobby_redis *redis, ls_error *error)
{
    ls_lobby_entry entry = {0};
    ls_builder json = {0};
    ls_error why;
    /* A server that hangs is not announced, so that the lobby forgets it. */
    if (ask_entry(self, &entry, &why) != LS_OK)
        return LS_OK;
    ls_lobby_entry_print(&entry, &json);
    ls_status status = ls_lobby_redis_announce(redis, self->address, json.data, error);
    ls_free(json.data);
    ls_lobby_entry_reset(&entry);
    return status;
}

/* Obeys the next order, if one comes. */
static ls_status obey(ls_service_lobby *self, ls_lobby_redis *redis, ls_error *error)
{
    ls_builder json = {0};
    ls_lobby_order order;
    char reply[LS_LOBBY_REPLY_BYTES];
    ls_error why;
    ls_status status = ls_lobby_redis_take_order(redis, self->address, &json, error);
    if (status)
        return status == LS_ERROR_NOT_FOUND ? LS_OK : status;
    ls_status read = ls_lobby_order_read(json.data, json.count, &order, reply, &why);
    ls_free(json.data);
    if (read || strncmp(reply, LS_LOBBY_REPLY, strlen(LS_LOBBY_REPLY)) != 0)
        return LS_OK; /* from no lobby, and there is no one to tell */
    ls_status opened =
        ls_service_admin_open_room(self->config.admin, "lobby", order.room, order.wishes, &why);
    status = ls_lobby_redis_answer(redis, reply, opened ? why.text : "", error);
    return status ? status : announce(self, redis, error);
}

static bool is_stopping(ls_service_lobby *self)
{
    ls_mutex_lock(&self->mutex);
    bool stops = self->is_stopping;
    ls_mutex_unlock(&self->mutex);
    return stops;
}

static void pause_a_while(ls_service_lobby *self)
{
    ls_mutex_lock(&self->mutex);
    if (!self->is_stopping)
        (void)ls_wake_wait_for(&self->wake, &self->mutex, LS_SECOND_NS);
    ls_mutex_unlock(&self->mutex);
}

static void run(void *argument)
{
    ls_service_lobby *self = argument;
    ls_lobby_redis *redis = NULL;
    ls_error error;
    while (!is_stopping(self)) {
        ls_status status = redis ? LS_OK : ls_lobby_redis_open(&self->redis, &redis, &error);
        if (!status)
            status = announce(self, redis, &error);
        note(self, status, &error);
        if (!status)
            status = obey(self, redis, &error);
        note(self, status, &error);
        if (!status)
            continue;
        ls_lobby_redis_close(redis);
        redis = NULL;
        pause_a_while(self);
    }
    if (redis && ls_lobby_redis_withdraw(redis, self->address, &error) != LS_OK)
        note(self, LS_ERROR_IO, &error);
    ls_lobby_redis_close(redis);
}

/* Finds the address that players get. */
static ls_status find_address(ls_service_lobby *self, ls_error *error)
{
    const ls_service_options *options = self->config.options;
    const char *host = ls_service_network_host(options);
    ls_server_address address = {.port = self->config.port};
    if (options->lobby && !options->address_count && !host)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--lobby tells players where the server is, so it needs --address "
                            "HOST:PORT, or --bind with one address");
    ls_status status = LS_OK;
    if (options->address_count)
        status = ls_server_address_parse(options->addresses[0], &address, error);
    else
        snprintf(address.host, sizeof address.host, "%s", host ? host : "127.0.0.1");
    address.has_key = true;
    address.key = *self->config.key;
    if (!status)
        ls_server_address_format(&address, self->address);
    return status;
}

static void log_address(const ls_service_lobby *self)
{
    char redis[LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(self->config.log, "lobby redis=%s address=%s",
                 ls_event_log_quote(self->config.options->lobby, redis), self->address);
}

static ls_status start(ls_service_lobby *self, ls_error *error)
{
    const ls_service_options *options = self->config.options;
    ls_status status = find_address(self, error);
    if (status || !options->lobby)
        return status;
    self->redis = (ls_lobby_redis_place){options->lobby, options->redis_password};
    status = ls_lobby_redis_check("--lobby", &self->redis, error);
    if (status)
        return status;
    log_address(self);
    self->has_thread = ls_thread_start(&self->thread, run, self);
    return self->has_thread ? LS_OK
                            : ls_error_set(error, LS_ERROR_IO, "--lobby: the system has no thread");
}

ls_status ls_service_lobby_open(const ls_service_lobby_config *config, ls_service_lobby **lobby,
                                ls_error *error)
{
    *lobby = NULL;
    if (!config->options->lobby && !config->options->http)
        return LS_OK;
    ls_service_lobby *self = ls_alloc(sizeof *self);
    self->config = *config;
    ls_mutex_init(&self->mutex);
    ls_wake_init(&self->wake);
    ls_status status = start(self, error);
    if (status) {
        ls_service_lobby_close(self);
        return status;
    }
    *lobby = self;
    return LS_OK;
}

void ls_service_lobby_close(ls_service_lobby *lobby)
{
    if (!lobby)
        return;
    ls_mutex_lock(&lobby->mutex);
    lobby->is_stopping = true;
    ls_wake_one(&lobby->wake);
    ls_mutex_unlock(&lobby->mutex);
    if (lobby->has_thread)
        ls_thread_join(&lobby->thread);
    ls_wake_destroy(&lobby->wake);
    ls_mutex_destroy(&lobby->mutex);
    ls_free(lobby);
}
