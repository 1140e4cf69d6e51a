/* Judges requests for a WebSocket to play, and finds the address that each is charged to. All
 * headers may be hostile. */
#ifndef LS_HTTP_PLAY_RULES_H
#define LS_HTTP_PLAY_RULES_H

#include "cli/serve/http_address.h"
#include "cli/serve/http_token.h"
#include <lockstep/address.h>

#define LS_HTTP_PLAY_PATH "/play"
/* The subprotocol: the protocol's name and version. */
#define LS_HTTP_PLAY_PROTOCOL    "lockstep.3"
#define LS_HTTP_PLAY_ORIGINS_MAX 8
/* The longest header that is read. */
#define LS_HTTP_PLAY_HEADER_BYTES (LS_HTTP_TOKEN_BYTES_MAX + 16)

typedef struct ls_http_play_rules {
    const char
        *origins[LS_HTTP_PLAY_ORIGINS_MAX]; /* of pages that may, such as "https://a.example" */
    uint32_t origin_count;
    const char *proxy; /* address of a trusted proxy, in numbers; NULL: none */
    /* the token that the proxy has to send; NULL: its address is enough */
    const ls_http_token *proxy_token;
    const ls_http_address *address; /* of the port; on a loopback one, only its own Hosts count */
} ls_http_play_rules;

/* The headers of a request; "": there is none. */
typedef struct ls_http_play_request {
    const char *path, *host, *origin, *authorization, *forwarded; /* X-Forwarded-For */
    const char *peer; /* the address of the socket, in numbers */
} ls_http_play_request;

/* Returns the status to refuse the request with, or 0 and the client's address, without a port.
 *   404  another path
 *   403  a page of another site: its Origin is neither the Host nor one of the list
 *   401  the trusted proxy has not sent its token
 *   400  the trusted proxy has not named its client */
uint32_t ls_http_play_judge(const ls_http_play_rules *rules, const ls_http_play_request *request,
                            ls_address *client);

/* Parses an address in numbers, such as 192.0.2.1 or 2001:db8::1. */
bool ls_http_play_parse_address(const char *text, ls_address *address);

#endif
