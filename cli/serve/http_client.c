#include "cli/serve/http_client.h"

#include "core/base/builder.h"
#include "core/base/platform.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The connections, and the pipe that wakes the thread. */
#define FILES_MAX (2 * LS_HTTP_CLIENT_SLOTS + 2)
/* Longer than LS_HTTP_CLIENT_TIMEOUT_NS, so that expire() ends a request first: the library does
 * not say that it closes for this reason. */
#define LIBRARY_TIMEOUT_S 60
/* Bounds the headers of an answer. */
#define HEADER_BYTES_MAX 4096
/* The part of an answer that is taken at once. */
#define PART_BYTES   4096
#define REASON_BYTES 128
#define HOST_BYTES   300

struct slot {
    ls_http_client *client;
    uint32_t index;
    struct lws *wsi; /* NULL: no request */
    ls_builder body; /* with LWS_PRE bytes before it, as the library needs */
    bool is_stream, is_whole, has_ended;
    uint32_t code; /* of the answer; 0: it has not begun */
    uint64_t received, kept_bytes_max;
    uint64_t until_ns; /* the request is given up then */
    char reason[REASON_BYTES];
};

struct ls_http_client {
    /* must be first: step() gets its address, and makes it that of the client */
    lws_sorted_usec_list_t timer;
    ls_http_client_config config;
    char host[HOST_BYTES]; /* the value of the header Host */
    struct lws_protocols protocols[2];
    struct lws_context *context;
    struct slot slots[LS_HTTP_CLIENT_SLOTS];
    ls_thread thread;
    bool is_stopping; /* set by the owner, read by the thread */
};

/* Tells the owner once that a request has ended. */
static void end(struct slot *slot)
{
    ls_http_client *client = slot->client;
    slot->wsi = NULL;
    ls_free(slot->body.data);
    slot->body = (ls_builder){0};
    if (slot->has_ended)
        return;
    slot->has_ended = true;
    if (!__atomic_load_n(&client->is_stopping, __ATOMIC_ACQUIRE))
        client->config.ended(client->config.context, slot->index, slot->code, slot->reason);
}

/* Sets the reason. The result -1 ends the connection: the library then reports that it is
 * closed. */
static int give_up(struct slot *slot, const char *reason)
{
    slot->code = 0;
    snprintf(slot->reason, sizeof slot->reason, "%s", reason);
    return -1;
}

static int add_headers(const struct slot *slot, struct lws *wsi, uint8_t **at, size_t left)
{
    uint8_t *end = *at + left;
    char length[24];
    static const char type[] = "application/json";
    if (!slot->body.count)
        return 0;
    snprintf(length, sizeof length, "%zu", slot->body.count - LWS_PRE);
    if (lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, (const uint8_t *)type,
                                     (int)strlen(type), at, end) ||
        lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, (const uint8_t *)length,
                                     (int)strlen(length), at, end))
        return -1;
    lws_client_http_body_pending(wsi, 1);
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_body(struct slot *slot, struct lws *wsi)
{
    size_t bytes = slot->body.count ? slot->body.count - LWS_PRE : 0;
    if (!bytes)
        return 0;
    lws_client_http_body_pending(wsi, 0);
    int sent = lws_write(wsi, (uint8_t *)slot->body.data + LWS_PRE, bytes, LWS_WRITE_HTTP_FINAL);
    return sent < (int)bytes ? give_up(slot, "the request could not be sent") : 0;
}

/* Has the library decode what the socket has: it calls back with the parts. */
static int read_part(struct lws *wsi)
{
    char buffer[LWS_PRE + PART_BYTES], *at = buffer + LWS_PRE;
    int bytes = PART_BYTES;
    return lws_http_client_read(wsi, &at, &bytes) < 0 ? -1 : 0;
}

static int receive(struct slot *slot, const char *data, size_t bytes)
{
    const ls_http_client_config *config = &slot->client->config;
    bool is_kept = slot->kept_bytes_max && slot->code == 200;
    slot->received += bytes;
    if (!slot->is_stream &&
        slot->received > (is_kept ? slot->kept_bytes_max : LS_HTTP_CLIENT_ANSWER_BYTES_MAX))
        return give_up(slot, "the answer is too long");
    if (!slot->is_stream && !is_kept)
        return 0;
    if (slot->code != 200)
        return -1;
    slot->until_ns = ls_monotonic_ns() + LS_HTTP_CLIENT_TIMEOUT_NS;
    return config->received(config->context, slot->index, data, bytes)
               ? 0
               : give_up(slot, "the stream makes no sense");
}

/* Tells the owner how long the answer will be. */
static void tell_length(const struct slot *slot, struct lws *wsi)
{
    const ls_http_client_config *config = &slot->client->config;
    char length[24];
    uint64_t bytes = 0;
    if (!config->begun || !slot->kept_bytes_max || slot->code != 200)
        return;
    if (lws_hdr_copy(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0)
        bytes = strtoull(length, NULL, 10);
    config->begun(config->context, slot->index, bytes);
}

/* Gives up with a text of our own for a failed handshake of TLS: the library gives numbers of
 * OpenSSL. */
static int give_up_connecting(struct slot *slot, const char *reason)
{
    bool is_tls = slot->client->config.has_tls && (strstr(reason, "SSL") || strstr(reason, "cert"));
    return give_up(slot, is_tls ? "no TLS: the port has none, or this system does not trust the "
                                  "certificate for that name"
                                : reason);
}

/* The library also calls for other connections of its own and for those that were given up; these
 * calls do nothing. */
static int handle_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                        size_t bytes)
{
    struct slot *slot = user;
    if (!slot || slot->wsi != wsi)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        if (!slot->reason[0])
            (void)give_up_connecting(slot, in ? in : "no connection");
        end(slot);
        return 0;
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return add_headers(slot, wsi, in, bytes);
    case LWS_CALLBACK_CLIENT_HTTP_WRITEABLE:
        return send_body(slot, wsi);
    case LWS_CALLBACK_CLIENT_HTTP_REDIRECT:
        return give_up(slot, "the answer leads to another address");
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
        slot->code = lws_http_client_http_response(wsi);
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0); /* expire() has its own */
        tell_length(slot, wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
        return read_part(wsi);
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
        return receive(slot, in, bytes);
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
        slot->is_whole = true;
        return -1;
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
    case LWS_CALLBACK_WSI_DESTROY:
        if (!slot->reason[0] && (!slot->code || (slot->kept_bytes_max && !slot->is_whole)))
            (void)give_up(slot, "the connection was closed");
        end(slot);
        return 0;
    default:
        return 0;
    }
}

/* Ends requests that have waited too long for their answer. */
static void expire(ls_http_client *client, uint64_t now_ns)
{
    for (uint32_t i = 0; i < LS_HTTP_CLIENT_SLOTS; i++) {
        struct slot *slot = &client->slots[i];
        if (!slot->wsi || now_ns < slot->until_ns || (slot->is_stream && slot->received))
            continue;
        (void)give_up(slot, "no answer in time");
        lws_set_timeout(slot->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
        end(slot);
    }
}

static void step(lws_sorted_usec_list_t *timer)
{
    ls_http_client *client = (ls_http_client *)timer;
    lws_sul_schedule(client->context, 0, timer, step, LS_HTTP_CLIENT_STEP_MS * 1000);
    if (__atomic_load_n(&client->is_stopping, __ATOMIC_ACQUIRE))
        return;
    expire(client, ls_monotonic_ns());
    client->config.step(client->config.context);
}

static void run(void *argument)
{
    ls_http_client *client = argument;
    step(&client->timer);
    while (!__atomic_load_n(&client->is_stopping, __ATOMIC_ACQUIRE)) {
        if (lws_service(client->context, 0) < 0)
            break;
        client->config.step(client->config.context);
    }
}

static void name_host(ls_http_client *client)
{
    const char *host = client->config.host;
    if (!host)
        snprintf(client->host, sizeof client->host, "localhost");
    else
        snprintf(client->host, sizeof client->host, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
                 (unsigned)client->config.port);
}

static bool create_context(ls_http_client *client)
{
    client->protocols[0] = (struct lws_protocols){.name = "http", .callback = handle_event};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .protocols = client->protocols,
        .user = client,
        .http_proxy_address = "", /* else the library takes that of the environment */
        .gid = -1,
        .uid = -1,
        .timeout_secs = LIBRARY_TIMEOUT_S,
        .max_http_header_data = HEADER_BYTES_MAX,
        .max_http_header_pool = FILES_MAX,
        .fd_limit_per_thread = FILES_MAX,
        .options = client->config.has_tls ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0,
    };
    lws_set_log_level(0, NULL);
    client->context = lws_create_context(&info);
    return client->context != NULL;
}

ls_status ls_http_client_open(const ls_http_client_config *config, ls_http_client **client,
                              ls_error *error)
{
    ls_http_client *self = ls_alloc(sizeof *self);
    self->config = *config;
    name_host(self);
    for (uint32_t i = 0; i < LS_HTTP_CLIENT_SLOTS; i++)
        self->slots[i] = (struct slot){.client = self, .index = i};
    *client = self;
    if (create_context(self) && ls_thread_start(&self->thread, run, self))
        return LS_OK;
    if (self->context)
        lws_context_destroy(self->context);
    ls_free(self);
    *client = NULL;
    return ls_error_set(error, LS_ERROR_IO, "no memory or no thread for an HTTP client");
}

void ls_http_client_close(ls_http_client *client)
{
    if (!client)
        return;
    __atomic_store_n(&client->is_stopping, true, __ATOMIC_RELEASE);
    lws_cancel_service(client->context);
    ls_thread_join(&client->thread);
    lws_context_destroy(client->context);
    for (uint32_t i = 0; i < LS_HTTP_CLIENT_SLOTS; i++)
        ls_free(client->slots[i].body.data);
    ls_free(client);
}

bool ls_http_client_is_busy(const ls_http_client *client, uint32_t slot)
{
    return client->slots[slot].wsi != NULL;
}

void ls_http_client_begin(ls_http_client *client, uint32_t index,
                          const ls_http_client_request *request)
{
    struct slot *slot = &client->slots[index];
    LS_ASSERT(!slot->wsi);
    *slot = (struct slot){.client = client,
                          .index = index,
                          .is_stream = request->is_stream,
                          .kept_bytes_max = request->kept_bytes_max,
                          .until_ns = ls_monotonic_ns() + LS_HTTP_CLIENT_TIMEOUT_NS};
    if (request->body) {
        static const char room[LWS_PRE];
        ls_builder_put(&slot->body, room, sizeof room);
        ls_builder_add(&slot->body, "%s", request->body);
    }
    const char *address = client->config.host ? client->config.host : "127.0.0.1";
    const struct lws_client_connect_info info = {.context = client->context,
                                                 .address = address,
                                                 .port = client->config.port,
                                                 .ssl_connection =
                                                     LCCSCF_HTTP_NO_FOLLOW_REDIRECT |
                                                     (client->config.has_tls ? LCCSCF_USE_SSL : 0),
                                                 .path = request->path,
                                                 .host = client->host,
                                                 .method = request->method,
                                                 .protocol = client->protocols[0].name,
                                                 .userdata = slot,
                                                 .pwsi = &slot->wsi};
    if (!lws_client_connect_via_info(&info) && !slot->has_ended) {
        (void)give_up(slot, "no connection");
        end(slot);
    }
}
