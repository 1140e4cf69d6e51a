/* The WebSockets of players at an HTTP port: joins libwebsockets to the port of a link
 * (proto/web_port.h). Only the thread of the HTTP port calls it. */
#ifndef LS_HTTP_PLAY_H
#define LS_HTTP_PLAY_H

#include "cli/serve/http_play_rules.h"
#include "proto/link_web.h"

typedef struct ls_http_play_config {
    ls_link *link;            /* of ls_link_web_create(); NULL: the port has no WebSockets */
    ls_http_play_rules rules; /* the port sets the address */
} ls_http_play_config;

struct lws_protocols;

typedef struct ls_http_play {
    ls_http_play_config config;
    ls_web_port *port; /* NULL: no WebSockets */
} ls_http_play;

/* The entry for the list of protocols; `play` outlives it. */
struct lws_protocols ls_http_play_protocol(ls_http_play *play);
/* The most descriptors of players' WebSockets, which do not count as connections of HTTP. */
uint32_t ls_http_play_files(const ls_http_play *play);
/* Sends what the link has queued. */
void ls_http_play_drain(ls_http_play *play);

#endif
