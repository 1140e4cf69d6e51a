/* Only this file, http_headers.c, http_waiting.c, http_client.c and http_play.c include
 * libwebsockets. */
#include "cli/serve/http.h"

#include "cli/common/clock.h"
#include "cli/common/number.h"
#include "cli/serve/http_address.h"
#include "cli/serve/http_headers.h"
#include "cli/serve/http_posts.h"
#include "cli/serve/http_waiting.h"
#include "core/base/platform.h"
#include <lockstep/entropy.h>

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <string.h>

/* The listening socket, the pipe that wakes the thread, and connections beyond the limit, which end
 * others or are answered. */
#define OWN_FILES (2 + 8)
/* The part of an answer that is sent at once. */
#define PART_BYTES 16384
/* The longest header Authorization. */
#define AUTHORIZATION_BYTES 512

struct ls_http {
    ls_http_config config;
    ls_http_address address;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[3];
    ls_http_play play;
    ls_thread thread;
    ls_http_waiting waiting;
    ls_http_posts *posts; /* NULL: no POST is answered */
    bool is_stopping;     /* set by the owner, read by the thread */
    uint32_t file_count;  /* connections that are sent a file */
    uint32_t post_count;  /* admitted POSTs without a whole answer; also read by the owner */
    uint16_t port;
};

/* The answer that a connection is being sent. */
struct connection {
    char *body;
    FILE *file; /* instead of the body */
    uint64_t bytes, sent;
    /* the connection ends with this answer: its request may have a body, which is not read */
    bool ends;
    ls_http_posted *posted;                                  /* a POST until its answer is sent */
    bool is_post, has_whole_body, is_submitted, is_answered; /* is_post: in post_count */
    uint64_t body_until_ns; /* the body of an admitted POST is whole then, or the connection ends */
};

static void forget(ls_http *http, struct connection *connection)
{
    ls_free(connection->body);
    if (connection->file) {
        fclose(connection->file);
        http->file_count--;
    }
    if (connection->posted && connection->is_submitted && !connection->is_answered)
        connection->posted->connection = NULL;
    else if (connection->posted)
        ls_http_posts_destroy(http->posts, connection->posted);
    if (connection->is_post)
        __atomic_sub_fetch(&http->post_count, 1, __ATOMIC_RELAXED);
    *connection = (struct connection){0};
}

/* Sends the headers; the body follows when the socket has room. -1 ends the connection. */
static int send_headers(const ls_http *http, struct lws *wsi, const struct connection *connection,
                        const ls_http_answer *answer)
{
    const ls_http_head head = {answer, http->config.policy, connection->bytes, connection->ends};
    if (!ls_http_headers_send(wsi, &head))
        return -1;
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, LS_HTTP_TIMEOUT_S);
    return 0;
}

static int finish(ls_http *http, struct lws *wsi, struct connection *connection)
{
    bool ends = connection->ends;
    forget(http, connection);
    ls_http_waiting_again(&http->waiting, wsi);
    return lws_http_transaction_completed(wsi) || ends ? -1 : 0;
}

/* Whether the header Host names this machine. A page of another site may reach this port by a name
 * that its DNS server moved here, but cannot change the Host that the browser sends. */
static bool has_own_host(const ls_http *http, struct lws *wsi)
{
    char host[LS_HTTP_ADDRESS_BYTES];
    if (!http->config.checks_host && !ls_http_address_is_loopback(&http->address))
        return true;
    return lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) > 0 &&
           ls_http_address_has_host(&http->address, host);
}

static void refuse_host(const ls_http *http, ls_http_answer *answer)
{
    answer->code = 403;
    ls_builder_add(&answer->body,
                   "the header Host names another machine: open http://localhost:%u/, or the "
                   "address of this machine in numbers; a proxy has to send one of them as Host\n",
                   (unsigned)http->port);
}

static void refuse_file(ls_http_answer *answer)
{
    fclose(answer->file);
    answer->file = NULL;
    answer->is_packed = false;
    answer->etag[0] = answer->range[0] = 0;
    answer->cache = NULL;
    ls_http_say(answer, 503, "too many files are being sent: ask again later");
}

static void submit(ls_http *http, struct lws *wsi, struct connection *connection)
{
    connection->posted->connection = wsi;
    connection->is_submitted = true;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
    ls_http_posts_submit(http->posts, connection->posted);
}

/* Reads the head of a POST. False: it is refused with this answer. */
static bool begin_post(ls_http *http, struct lws *wsi, struct connection *connection,
                       const char *path, ls_http_answer *answer)
{
    char authorization[AUTHORIZATION_BYTES] = "", from[LS_HTTP_FROM_BYTES] = "", length[24] = "";
    uint64_t bytes = 0;
    ls_http_post post = {.path = path, .authorization = authorization, .from = from};
    if (lws_hdr_copy(wsi, authorization, sizeof authorization, WSI_TOKEN_HTTP_AUTHORIZATION) < 0)
        authorization[0] = 0;
    (void)lws_get_peer_simple(wsi, from, sizeof from);
    bool is_admitted = http->config.admits(http->config.context, &post, answer);
    ls_wipe(authorization, sizeof authorization);
    if (!is_admitted)
        return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0) {
        ls_http_say(answer, 411, "send the body in one piece, with the header Content-Length");
        return false;
    }
    int has_length = lws_hdr_copy(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH);
    if (has_length && !ls_parse_u64(length, 0, LS_HTTP_BODY_BYTES_MAX, &bytes)) {
        ls_http_say(answer, 413, "the body is too long");
        return false;
    }
    if (bytes == 0) { /* libwebsockets 4.1 may report the end of an empty body twice */
        ls_http_say(answer, 411,
                    "the body is missing: it is JSON, for /admin `[]` without any arguments");
        return false;
    }
    connection->posted = ls_http_posts_create(http->posts, &post, (size_t)bytes);
    if (!connection->posted) {
        ls_http_say(answer, 503, "too many requests are being answered: ask again later");
        return false;
    }
    connection->is_post = true;
    __atomic_add_fetch(&http->post_count, 1, __ATOMIC_RELAXED);
    connection->body_until_ns = ls_monotonic_ns() + LS_HTTP_TIMEOUT_S * LS_SECOND_NS;
    return true;
}

/* A refused POST may still send its body, which is ignored. Each part begins the library's timeout
 * anew, so `body_until_ns` limits the whole body. */
static int receive_body(const struct connection *connection, const void *data, size_t bytes)
{
    ls_http_posted *posted = connection->posted;
    if (!posted)
        return 0;
    if (connection->is_submitted || bytes > posted->bytes - posted->received ||
        ls_monotonic_ns() > connection->body_until_ns)
        return -1;
    memcpy(posted->body + posted->received, data, bytes);
    posted->received += bytes;
    return 0;
}

static int end_body(ls_http *http, struct lws *wsi, struct connection *connection)
{
    const ls_http_posted *posted = connection->posted;
    /* libwebsockets 4.1 repeats this for ever, without a pause for other connections, if the next
     * request follows before this one is answered. */
    if (connection->has_whole_body)
        return -1;
    connection->has_whole_body = true;
    if (!posted)
        return 0;
    if (posted->received < posted->bytes)
        return -1;
    submit(http, wsi, connection);
    return 0;
}

/* Takes the answers that the thread for POST has given. */
static void take_posts(ls_http *http)
{
    ls_http_posted *posted;
    while (http->posts && (posted = ls_http_posts_take(http->posts)) != NULL) {
        struct lws *wsi = posted->connection;
        if (!wsi) {
            ls_http_posts_destroy(http->posts, posted);
            continue;
        }
        ((struct connection *)lws_wsi_user(wsi))->is_answered = true;
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, LS_HTTP_TIMEOUT_S);
        lws_callback_on_writable(wsi);
    }
}

/* Whether the request has a body. A connection that waited for the body could be kept open for ever
 * by a byte now and then. */
static bool has_body(struct lws *wsi)
{
    return lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0 ||
           lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0;
}

static int answer_request(ls_http *http, struct lws *wsi, struct connection *connection,
                          const char *path)
{
    bool is_post = http->config.admits && lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0;
    bool is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    bool is_get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
    ls_http_answer answer = {.type = LS_HTTP_TEXT_TYPE};
    ls_http_wish wish;
    if (connection->posted)
        return -1; /* it has not waited for its answer */
    forget(http, connection);
    if (!is_get && !is_head && !is_post)
        ls_http_refuse_method(&answer, "GET, HEAD");
    else if (!has_own_host(http, wsi))
        refuse_host(http, &answer);
    else if (!is_post)
        http->config.answer(http->config.context, path, &answer);
    else if (begin_post(http, wsi, connection, path, &answer))
        return 0;
    ls_http_headers_read(wsi, &wish);
    ls_http_file_choose(&wish, &answer);
    ls_http_file_name_version(&answer);
    ls_http_file_apply(&wish, &answer);
    if (answer.file && http->file_count >= LS_HTTP_FILES_MAX)
        refuse_file(&answer);
    connection->body = answer.body.data;
    connection->file = answer.file;
    http->file_count += answer.file != NULL;
    connection->bytes = answer.file ? answer.file_bytes : answer.body.count;
    connection->ends = (!is_get && !is_head) || has_body(wsi);
    if (send_headers(http, wsi, connection, &answer))
        return -1;
    if (is_head || connection->bytes == 0)
        return finish(http, wsi, connection);
    lws_callback_on_writable(wsi);
    return 0;
}

/* Takes the next part of the body. False when there is none, or the file became shorter. */
static bool take_part(struct lws *wsi, struct connection *connection, uint8_t *to, size_t part)
{
    if (connection->file) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, LS_HTTP_TIMEOUT_S);
        return fread(to, 1, part, connection->file) == part;
    }
    if (connection->body)
        memcpy(to, connection->body + connection->sent, part);
    return connection->body != NULL;
}

/* Begins the answer to a POST. */
static int send_posted(ls_http *http, struct lws *wsi, struct connection *connection)
{
    ls_http_answer *answer = &connection->posted->answer;
    if (!connection->is_answered)
        return 0;
    connection->bytes = answer->body.count;
    if (send_headers(http, wsi, connection, answer))
        return -1;
    connection->body = answer->body.data;
    answer->body = (ls_builder){0};
    ls_http_posts_destroy(http->posts, connection->posted);
    connection->posted = NULL;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_body(ls_http *http, struct lws *wsi, struct connection *connection)
{
    if (connection->posted)
        return send_posted(http, wsi, connection);
    uint8_t buffer[LWS_PRE + PART_BYTES];
    uint64_t left = connection->bytes - connection->sent;
    size_t part = left < PART_BYTES ? (size_t)left : PART_BYTES;
    if (!take_part(wsi, connection, buffer + LWS_PRE, part))
        return -1;
    bool is_last = part == left;
    if (lws_write(wsi, buffer + LWS_PRE, part, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)part)
        return -1;
    connection->sent += part;
    if (is_last)
        return finish(http, wsi, connection);
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                        size_t bytes)
{
    ls_http *http = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        ls_http_waiting_add(&http->waiting, wsi, LS_HTTP_CONNECTIONS_MAX);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        ls_http_waiting_remove(&http->waiting, wsi);
        return 0;
    case LWS_CALLBACK_RAW_RX: /* what is no request */
        return ls_http_headers_refuse(wsi);
    case LWS_CALLBACK_HTTP:
        ls_http_waiting_keep(&http->waiting, wsi);
        return answer_request(http, wsi, user, in);
    case LWS_CALLBACK_HTTP_BODY:
        return receive_body(user, in, bytes);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return end_body(http, wsi, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        take_posts(http);
        if (http->play.port)
            ls_http_play_drain(&http->play);
        return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_body(http, wsi, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a WebSocket of no protocol of ours */
        return -1;
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (user)
            forget(http, user);
        return 0;
    default:
        return 0;
    }
}

/* Acquire: pairs with the release in ls_http_close(). */
static void run(void *argument)
{
    ls_http *http = argument;
    while (!__atomic_load_n(&http->is_stopping, __ATOMIC_ACQUIRE))
        if (lws_service(http->context, 0) < 0)
            break;
}

/* Binds the address once, only to learn the reason of a failure, which the library does not tell.
 */
static ls_status try_to_bind(const ls_http_address *address, const ls_http_config *config,
                             ls_error *error)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(address->port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(address->port)};
    int yes = 1, code = 0;
    int file = socket(address->is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)inet_pton(AF_INET6, address->host, &v6.sin6_addr);
    (void)inet_pton(AF_INET, address->host, &v4.sin_addr);
    if (file >= 0)
        (void)setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const struct sockaddr *name = address->is_v6 ? (const void *)&v6 : (const void *)&v4;
    if (file < 0 || bind(file, name, address->is_v6 ? sizeof v6 : sizeof v4) != 0 ||
        listen(file, 1) != 0)
        code = errno;
    if (file >= 0)
        close(file);
    if (!code)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_IO, "%s %.256s: %s%s", config->option, config->listen,
                        strerror(code),
                        code == EADDRINUSE      ? "; stop that program or choose another port"
                        : code == EADDRNOTAVAIL ? ": no interface of this machine has it"
                        : code == EACCES        ? "; ports below 1024 need root"
                                                : "");
}

static bool create_context(ls_http *http)
{
    const ls_http_address *address = &http->address;
    http->protocols[0] = (struct lws_protocols){.name = "http",
                                                .callback = answer_event,
                                                .per_session_data_size = sizeof(struct connection)};
    if (http->play.port)
        http->protocols[1] = ls_http_play_protocol(&http->play);
    struct lws_context_creation_info info = {
        .iface = address->host,
        .port = address->port,
        .protocols = http->protocols,
        .user = http,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG |
                   (address->is_v6
                        ? LWS_SERVER_OPTION_IPV6_V6ONLY_MODIFY | LWS_SERVER_OPTION_IPV6_V6ONLY_VALUE
                        : LWS_SERVER_OPTION_DISABLE_IPV6),
        .server_string = "lockstep",
        .gid = -1,
        .uid = -1,
        .max_http_header_data = LS_HTTP_REQUEST_BYTES_MAX,
        .max_http_header_pool = LS_HTTP_CONNECTIONS_MAX + OWN_FILES,
        .fd_limit_per_thread =
            LS_HTTP_CONNECTIONS_MAX + OWN_FILES + ls_http_play_files(&http->play),
        .timeout_secs = LS_HTTP_TIMEOUT_S,
        .keepalive_timeout = LS_HTTP_TIMEOUT_S,
        .timeout_secs_ah_idle = LS_HTTP_TIMEOUT_S,
    };
    lws_set_log_level(0, NULL);
    http->context = lws_create_context(&info);
    if (http->context)
        http->vhost = lws_create_vhost(http->context, &info);
    if (!http->vhost)
        return false;
    http->port = (uint16_t)lws_get_vhost_listen_port(http->vhost);
    return true;
}

static void wake(void *context)
{
    lws_cancel_service(context);
}

static bool start(ls_http *http)
{
    if (http->config.play.link) {
        http->play.config = http->config.play;
        http->play.port = ls_link_web_port(http->config.play.link);
        http->play.config.rules.address = &http->address;
    }
    if (!create_context(http))
        return false;
    if (http->play.port)
        ls_link_web_on_output(http->config.play.link, wake, http->context);
    if (http->config.post)
        http->posts = ls_http_posts_open(&(ls_http_posts_config){.answer = http->config.post,
                                                                 .context = http->config.context,
                                                                 .wake = wake,
                                                                 .waked = http->context});
    return (http->posts || !http->config.post) && ls_thread_start(&http->thread, run, http);
}

static void free_port(ls_http *http)
{
    if (http->play.port)
        ls_link_web_on_output(http->config.play.link, NULL, NULL);
    ls_http_posts_stop(http->posts);
    if (http->context)
        lws_context_destroy(http->context);
    ls_http_posts_close(http->posts);
    ls_free(http);
}

ls_status ls_http_open(const ls_http_config *config, ls_http **http, ls_error *error)
{
    ls_http_address address;
    *http = NULL;
    ls_status status = ls_http_address_parse(config->option, config->listen, &address, error);
    if (!status)
        status = try_to_bind(&address, config, error);
    if (status)
        return status;
    ls_http *self = ls_alloc(sizeof *self);
    self->config = *config;
    self->address = address;
    if (start(self)) {
        *http = self;
        return LS_OK;
    }
    free_port(self);
    return ls_error_set(error, LS_ERROR_IO, "%s %.256s: no memory or no thread", config->option,
                        config->listen);
}

void ls_http_close(ls_http *http)
{
    if (!http)
        return;
    ls_http_posts_stop(http->posts);
    uint64_t until_ns = ls_monotonic_ns() + LS_SECOND_NS;
    while (__atomic_load_n(&http->post_count, __ATOMIC_RELAXED) && ls_monotonic_ns() < until_ns)
        ls_clock_sleep_until(ls_monotonic_ns() + LS_SECOND_NS / 100); /* answers are sent */
    __atomic_store_n(&http->is_stopping, true, __ATOMIC_RELEASE);
    lws_cancel_service(http->context);
    ls_thread_join(&http->thread);
    free_port(http);
}

uint16_t ls_http_port(const ls_http *http)
{
    return http->port;
}
