/* An HTTP port. Its owner makes the answers. A thread of its own answers GET and HEAD, and another
 * one POST (cli/serve/http_posts.h). Strangers may connect: requests, connections and the time for
 * a request are limited. */
#ifndef LS_HTTP_H
#define LS_HTTP_H

#include "cli/serve/http_message.h"
#include "cli/serve/http_play.h"

/* Each further connection ends the oldest of these that has sent no whole request. If all have, a
 * few more are taken, and the rest wait until one ends. */
#define LS_HTTP_CONNECTIONS_MAX 64
/* Connections that are sent a file at a time. Further requests for files get 503, so that slow
 * readers leave room for the other answers. */
#define LS_HTTP_FILES_MAX 48
/* Longer requests end their connection. */
#define LS_HTTP_REQUEST_BYTES_MAX 8192
/* The limit for each: the arrival of a request, the client's reception of the answer or of the next
 * part of a file, and the wait for the next request. */
#define LS_HTTP_TIMEOUT_S 5

/* Longer bodies of a POST get 413. */
#define LS_HTTP_BODY_BYTES_MAX 8192

typedef struct ls_http ls_http;

typedef struct ls_http_config {
    const char *option; /* that named the address, for messages */
    const char *listen; /* [ADDR:]PORT, as in cli/serve/http_address.h */
    const char *policy; /* the Content-Security-Policy of all answers */
    /* Requests with the Host of another machine get 403; on a loopback address they always do.
     * False for a port that monitors reach by names. */
    bool checks_host;
    /* Answers a GET of a path, which is decoded and may be hostile. Called by the HTTP thread until
     * ls_http_close(). */
    void (*answer)(void *context, const char *path, ls_http_answer *answer);
    /* Whether to read the body of a POST and to answer it. If not, `answer` says why, and the
     * connection ends. Called by the HTTP thread. NULL: POST gets 405. If `post` is NULL, it must
     * admit none. */
    bool (*admits)(void *context, const ls_http_post *post, ls_http_answer *answer);
    /* Answers a POST that was admitted, whose `authorization` is NULL. Called by a thread for this
     * alone, and may wait. */
    void (*post)(void *context, const ls_http_post *post, ls_http_answer *answer);
    void *context;
    ls_http_play_config play; /* players by WebSocket */
} ls_http_config;

/* Binds the port and starts the thread.
 *   errors  LS_ERROR_USAGE: a wrong address, or this build has no HTTP; LS_ERROR_IO: the port
 *   owns    ls_http_close() by the caller; what the config points to outlives it */
ls_status ls_http_open(const ls_http_config *config, ls_http **http, ls_error *error) LS_MUST_USE;
/* Waits up to a second for answers to POSTs, and ends the thread. NULL is allowed. */
void ls_http_close(ls_http *http);
uint16_t ls_http_port(const ls_http *http);

#endif
