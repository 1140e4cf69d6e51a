/* An HTTP port, without what it answers. A thread of its own answers GET and HEAD. Strangers may
 * connect: requests, connections and the time for a request are limited. */
#ifndef LS_HTTP_H
#define LS_HTTP_H

#include "core/base/builder.h"

#include <stdio.h>

/* Further connections wait until one of these ends. */
#define LS_HTTP_CONNECTIONS_MAX 64
/* Connections that are sent a file at a time. Further requests for files get 503, so that slow
 * readers leave room for the other answers. */
#define LS_HTTP_FILES_MAX 48
/* Longer requests end their connection. */
#define LS_HTTP_REQUEST_BYTES_MAX 2048
/* The time for a request, for the client to take its answer or the next part of a file, and to the
 * next request. */
#define LS_HTTP_TIMEOUT_S 5

typedef struct ls_http ls_http;

/* The body is a text, or a file from its start. */
typedef struct ls_http_answer {
    uint32_t code;    /* 200, 403, 404 or 503 */
    const char *type; /* of the body */
    ls_builder body;  /* freed by the port */
    FILE *file;       /* NULL: none; closed by the port */
    uint64_t file_bytes;
} ls_http_answer;

#define LS_HTTP_TEXT_TYPE "text/plain; charset=utf-8"

/* Answers with a line of text, without its end. */
static inline void ls_http_say(ls_http_answer *answer, uint32_t code, const char *text)
{
    answer->code = code;
    answer->type = LS_HTTP_TEXT_TYPE;
    ls_builder_add(&answer->body, "%s\n", text);
}

typedef struct ls_http_config {
    const char *option; /* that named the address, for messages */
    const char *listen; /* [ADDR:]PORT, as in cli/serve/http_address.h */
    const char *policy; /* the Content-Security-Policy of all answers */
    /* Requests with the Host of another machine get 403, as on a loopback address. A port that
     * monitors reach by names leaves it out. */
    bool checks_host;
    /* Answers a GET of a path, which is decoded and may be hostile. Called by the HTTP thread until
     * ls_http_close(). */
    void (*answer)(void *context, const char *path, ls_http_answer *answer);
    void *context;
} ls_http_config;

/* Binds the port and starts the thread.
 *   errors  LS_ERROR_USAGE: a wrong address, or this build has no HTTP; LS_ERROR_IO: the port
 *   owns    ls_http_close() by the caller; what the config points to outlives it */
ls_status ls_http_open(const ls_http_config *config, ls_http **http, ls_error *error) LS_MUST_USE;
/* Ends the thread. NULL is allowed. */
void ls_http_close(ls_http *http);
uint16_t ls_http_port(const ls_http *http);

#endif
