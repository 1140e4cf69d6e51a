#include "cli/serve/http_headers.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>

#define HEAD_BYTES 4096

/* A position in the head. */
struct place {
    struct lws *wsi;
    uint8_t *at, *end;
};

static bool add(struct place *place, const char *name, const char *value)
{
    return lws_add_http_header_by_name(place->wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), &place->at,
                                       place->end) == 0;
}

/* Adds the status, and the type and length of the body. An answer 304 has no body, and describes
 * none. */
static bool add_common(struct place *place, const ls_http_head *head)
{
    const ls_http_answer *answer = head->answer;
    if (answer->code == 304)
        return lws_add_http_header_status(place->wsi, answer->code, &place->at, place->end) == 0;
    return lws_add_http_common_headers(place->wsi, answer->code, answer->type, head->bytes,
                                       &place->at, place->end) == 0;
}

/* Lets pages of this port use its answers, and no page of another site. */
static bool add_policy(struct place *place, const ls_http_head *head)
{
    const char *cache = head->answer->cache;
    return add(place, "cache-control:", cache ? cache : "no-store") &&
           add(place, "content-security-policy:", head->policy) &&
           add(place, "x-content-type-options:", "nosniff") &&
           add(place, "cross-origin-resource-policy:", "same-origin") &&
           add(place, "referrer-policy:", "no-referrer");
}

static bool add_file(struct place *place, const ls_http_answer *answer)
{
    return (!answer->etag[0] ||
            (add(place, "etag:", answer->etag) && add(place, "accept-ranges:", "bytes"))) &&
           (!answer->range[0] || add(place, "content-range:", answer->range)) &&
           (!answer->is_packed || add(place, "content-encoding:", "gzip")) &&
           (!answer->varies || add(place, "vary:", "accept-encoding"));
}

bool ls_http_headers_send(struct lws *wsi, const ls_http_head *head)
{
    uint8_t buffer[LWS_PRE + HEAD_BYTES], *start = buffer + LWS_PRE;
    const ls_http_answer *answer = head->answer;
    struct place place = {wsi, start, buffer + sizeof buffer - 1};
    return add_common(&place, head) && add_policy(&place, head) && add_file(&place, answer) &&
           (!head->ends || add(&place, "connection:", "close")) &&
           (!answer->allow || add(&place, "allow:", answer->allow)) &&
           (answer->code != 401 || add(&place, "www-authenticate:", "Bearer")) &&
           lws_finalize_write_http_header(wsi, start, &place.at, place.end) == 0;
}

int ls_http_headers_refuse(struct lws *wsi)
{
    static const char text[] = "this is no request of HTTP/1.1: send GET PATH, HEAD PATH or POST "
                               "PATH, with %20 for a space\n";
    uint8_t buffer[LWS_PRE + sizeof text + 128];
    int bytes = snprintf((char *)buffer + LWS_PRE, sizeof buffer - LWS_PRE,
                         "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n"
                         "content-length: %zu\r\nconnection: close\r\n\r\n%s",
                         sizeof text - 1, text);
    (void)lws_write(wsi, buffer + LWS_PRE, (size_t)bytes, LWS_WRITE_RAW);
    return -1;
}

static void read_header(struct lws *wsi, enum lws_token_indexes name, char to[LS_HTTP_WISH_BYTES])
{
    if (lws_hdr_copy(wsi, to, LS_HTTP_WISH_BYTES, name) < 0)
        to[0] = 0;
}

void ls_http_headers_read(struct lws *wsi, ls_http_wish *wish)
{
    *wish = (ls_http_wish){.is_get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0};
    read_header(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, wish->none_match);
    read_header(wsi, WSI_TOKEN_HTTP_RANGE, wish->range);
    read_header(wsi, WSI_TOKEN_HTTP_IF_RANGE, wish->if_range);
    read_header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, wish->encoding);
}
