#include "cli/serve/http_play.h"

#include "cli/serve/http_play_socket.h"
#include "core/base/platform.h"

#include <libwebsockets.h>
#include <string.h>

/* The longest message is received in one part if the socket has it whole. */
#define RECEIVE_BYTES 2048
/* Messages that are written before other sockets have a turn. */
#define TURN_MESSAGES 16
/* The highest code of a close frame (RFC 6455, section 7.4.2). */
#define CODE_MAX 4999

struct visitor {
    bool is_judged, is_open;
    uint32_t slot;
    ls_address client;
};

static ls_http_play *play_of(struct lws *wsi)
{
    return lws_get_protocol(wsi)->user;
}

/* Reads a header; false: it is too long. */
static bool read_header(struct lws *wsi, enum lws_token_indexes which,
                        char text[LS_HTTP_PLAY_HEADER_BYTES])
{
    text[0] = 0;
    return lws_hdr_total_length(wsi, which) == 0 ||
           lws_hdr_copy(wsi, text, LS_HTTP_PLAY_HEADER_BYTES, which) >= 0;
}

/* Returns the status of HTTP to refuse a visitor with; 0: the visitor is admitted. */
static uint32_t judge(ls_http_play *play, struct lws *wsi, struct visitor *visitor)
{
    char path[LS_HTTP_PLAY_HEADER_BYTES], host[LS_HTTP_PLAY_HEADER_BYTES];
    char origin[LS_HTTP_PLAY_HEADER_BYTES], forwarded[LS_HTTP_PLAY_HEADER_BYTES];
    char authorization[LS_HTTP_PLAY_HEADER_BYTES], peer[LS_ADDRESS_TEXT_BYTES] = "";
    const ls_http_play_request request = {.path = path,
                                          .host = host,
                                          .origin = origin,
                                          .authorization = authorization,
                                          .forwarded = forwarded,
                                          .peer = peer};
    (void)lws_get_peer_simple(wsi, peer, sizeof peer);
    if (!read_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization))
        authorization[0] = 0; /* too long: it may be for a proxy, and is not ours */
    if (!read_header(wsi, WSI_TOKEN_GET_URI, path) || !read_header(wsi, WSI_TOKEN_HOST, host) ||
        !read_header(wsi, WSI_TOKEN_ORIGIN, origin) ||
        !read_header(wsi, WSI_TOKEN_X_FORWARDED_FOR, forwarded))
        return 400;
    uint32_t code = ls_http_play_judge(&play->config.rules, &request, &visitor->client);
    if (code)
        return code;
    return ls_web_port_room(play->port, &visitor->client) == LS_WEB_CHANNELS ? 0 : 503;
}

static ls_web_counter reason_of(const ls_http_play *play, uint32_t code,
                                const struct visitor *visitor)
{
    if (code == 404)
        return LS_WEB_REFUSED_PATH;
    if (code == 403)
        return LS_WEB_REFUSED_ORIGIN;
    return code < 500 ? LS_WEB_REFUSED_HEADER : ls_web_port_room(play->port, &visitor->client);
}

static int admit(struct lws *wsi, struct visitor *visitor)
{
    ls_http_play *play = play_of(wsi);
    if (!visitor)
        return -1;
    uint32_t code = judge(play, wsi, visitor);
    if (code) {
        ls_web_port_count_refused(play->port, reason_of(play, code, visitor));
        (void)lws_return_http_status(wsi, code, NULL);
        return -1;
    }
    visitor->is_judged = true;
    return 0;
}

static int end(struct lws *wsi, ls_web_close why)
{
    lws_close_reason(wsi, (enum lws_close_status)why, NULL, 0);
    return -1;
}

static int open_channel(struct lws *wsi, struct visitor *visitor)
{
    if (!visitor->is_judged)
        return -1;
    visitor->slot = ls_web_port_open(play_of(wsi)->port, &visitor->client, wsi, ls_monotonic_ns());
    if (visitor->slot == LS_WEB_SLOT_NONE) {
        ls_web_port_count_refused(play_of(wsi)->port, LS_WEB_REFUSED_FULL);
        return end(wsi, LS_WEB_CLOSE_BUSY);
    }
    visitor->is_open = true;
    ls_http_play_socket_prepare(lws_get_socket_fd(wsi));
    lws_set_timer_usecs(wsi, LWS_USEC_PER_SEC);
    return 0;
}

static int receive(struct lws *wsi, const struct visitor *visitor, const void *data, size_t bytes)
{
    const ls_web_part part = {.data = data,
                              .bytes = bytes,
                              .is_text = !lws_frame_is_binary(wsi),
                              .is_first = lws_is_first_fragment(wsi),
                              .is_last = lws_is_final_fragment(wsi) &&
                                         lws_remaining_packet_payload(wsi) == 0};
    if (!visitor->is_open)
        return -1;
    ls_web_close why =
        ls_web_port_receive(play_of(wsi)->port, visitor->slot, &part, ls_monotonic_ns());
    return why ? end(wsi, why) : 0;
}

/* libwebsockets sends a close frame back as it is, unless its code is one that RFC 6455 forbids.
 * That leaves half a code, and codes that do not exist. */
static int end_by_visitor(struct lws *wsi, const uint8_t *data, size_t bytes)
{
    bool has_code = bytes > 1 && (data[0] << 8 | data[1]) <= CODE_MAX;
    return has_code || bytes == 0 ? 0 : end(wsi, LS_WEB_CLOSE_PROTOCOL);
}

static int check(struct lws *wsi, const struct visitor *visitor)
{
    ls_web_close why = ls_web_port_check(play_of(wsi)->port, visitor->slot, ls_monotonic_ns());
    if (why)
        return end(wsi, why);
    lws_set_timer_usecs(wsi, LWS_USEC_PER_SEC);
    return 0;
}

static int send_messages(struct lws *wsi, const struct visitor *visitor)
{
    ls_web_port *port = play_of(wsi)->port;
    uint8_t buffer[LWS_PRE + RECEIVE_BYTES];
    for (uint32_t i = 0; i < TURN_MESSAGES && !lws_send_pipe_choked(wsi); i++) {
        size_t bytes;
        const uint8_t *message = ls_web_port_next(port, visitor->slot, &bytes);
        if (!message)
            return check(wsi, visitor);
        memcpy(buffer + LWS_PRE, message, bytes);
        if (lws_write(wsi, buffer + LWS_PRE, bytes, LWS_WRITE_BINARY) < (int)bytes)
            return -1;
        ls_web_port_sent(port, visitor->slot, ls_monotonic_ns());
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static void close_channel(struct lws *wsi, struct visitor *visitor)
{
    if (visitor && visitor->is_open)
        ls_web_port_close(play_of(wsi)->port, visitor->slot);
    if (visitor)
        visitor->is_open = false;
}

static int answer_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                        size_t bytes)
{
    struct visitor *visitor = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return admit(wsi, visitor);
    case LWS_CALLBACK_ESTABLISHED:
        return open_channel(wsi, visitor);
    case LWS_CALLBACK_RECEIVE:
        return receive(wsi, visitor, in, bytes);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return visitor->is_open ? send_messages(wsi, visitor) : -1;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return end_by_visitor(wsi, in, bytes);
    case LWS_CALLBACK_TIMER:
        return visitor && visitor->is_open ? check(wsi, visitor) : 0;
    case LWS_CALLBACK_CLOSED:
        close_channel(wsi, visitor);
        return 0;
    default:
        return 0;
    }
}

struct lws_protocols ls_http_play_protocol(ls_http_play *play)
{
    return (struct lws_protocols){.name = LS_HTTP_PLAY_PROTOCOL,
                                  .callback = answer_event,
                                  .per_session_data_size = sizeof(struct visitor),
                                  .rx_buffer_size = RECEIVE_BYTES,
                                  .user = play};
}

uint32_t ls_http_play_files(const ls_http_play *play)
{
    return play->port ? ls_web_port_channels_max(play->port) : 0;
}

static void ask_to_write(void *wsi)
{
    lws_callback_on_writable(wsi);
}

void ls_http_play_drain(ls_http_play *play)
{
    ls_web_port_drain(play->port, ls_monotonic_ns(), ask_to_write);
}
