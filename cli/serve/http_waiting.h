/* The connections to an HTTP port from which no whole request has come. When too many are open, the
 * one that has been silent for longest ends at once, so that connections that say nothing keep no
 * client from an answer. */
#ifndef LS_HTTP_WAITING_H
#define LS_HTTP_WAITING_H

#include <lockstep/base.h>

struct lws;

/* Further connections are not counted: they end by their timeouts alone. */
#define LS_HTTP_WAITING_MAX 128

typedef struct ls_http_waiting {
    struct {
        struct lws *wsi;
        bool waits; /* for a request, or the rest of one */
    } items[LS_HTTP_WAITING_MAX];
    uint32_t count;
} ls_http_waiting;

/* Adds a new connection, which waits. If there are over `open_max`, ends the oldest that waits and
 * has sent nothing that is not read yet. */
void ls_http_waiting_add(ls_http_waiting *waiting, struct lws *wsi, uint32_t open_max);
/* A request has come: the connection stays until it is answered. */
void ls_http_waiting_keep(ls_http_waiting *waiting, const struct lws *wsi);
/* The request is answered: the connection waits for the next one, as the youngest. */
void ls_http_waiting_again(ls_http_waiting *waiting, struct lws *wsi);
/* The connection has ended, or has become a WebSocket. */
void ls_http_waiting_remove(ls_http_waiting *waiting, const struct lws *wsi);

#endif
