/* The HTTP port of a server: metrics, health and rooms. A thread of its own answers; it knows only
 * what the network thread publishes. Strangers may connect: requests, connections and the time for
 * a request are limited. */
#ifndef LS_HTTP_H
#define LS_HTTP_H

#include "cli/serve/http_answer.h"
#include "cli/serve/metrics_board.h"

/* Further connections wait until one of these ends. */
#define LS_HTTP_CONNECTIONS_MAX 64
/* Longer requests end their connection. */
#define LS_HTTP_REQUEST_BYTES_MAX 2048
/* The time for a request, for the client to take its answer, and to the next request. */
#define LS_HTTP_TIMEOUT_S 5

typedef struct ls_http ls_http;

typedef struct ls_http_config {
    const char *listen; /* [ADDR:]PORT, as in cli/serve/http_address.h */
    const char *sim;
    uint64_t start_unix_s;
    ls_metrics_board *board; /* read by the HTTP thread until ls_http_close() */
} ls_http_config;

/* Binds the port and starts the thread.
 *   errors  LS_ERROR_USAGE: a wrong address, or this build has no HTTP; LS_ERROR_IO: the port
 *   owns    ls_http_close() by the caller; the config's texts and board outlive it */
ls_status ls_http_open(const ls_http_config *config, ls_http **http, ls_error *error) LS_MUST_USE;
/* Ends the thread. NULL is allowed. */
void ls_http_close(ls_http *http);
uint16_t ls_http_port(const ls_http *http);

#endif
