/* A client of one HTTP server. A thread of its own sends requests and receives answers, several at
 * a time: one in each slot. The server may be late, slow, gone or hostile: the time for an answer
 * and its bytes are limited. */
#ifndef LS_HTTP_CLIENT_H
#define LS_HTTP_CLIENT_H

#include <lockstep/base.h>
#include <lockstep/limits.h>

#define LS_HTTP_CLIENT_SLOTS 4
/* The thread calls `step` at least this often. */
#define LS_HTTP_CLIENT_STEP_MS 50
/* The time for an answer, and for each part of one that is kept. A stream has to begin within it.
 */
#define LS_HTTP_CLIENT_TIMEOUT_NS (5 * LS_SECOND_NS)
/* The longest answer that is neither a stream nor kept. */
#define LS_HTTP_CLIENT_ANSWER_BYTES_MAX 65536

typedef struct ls_http_client ls_http_client;

typedef struct ls_http_client_request {
    const char *method, *path;
    const char *body; /* JSON, copied; NULL: none */
    bool is_stream;   /* has no end of its own; its bytes go to `received` */
    /* The bytes of an answer 200 go to `received`, too, and it is an error when there are more than
     * this, or the connection ends before they are whole. 0: they are ignored. */
    uint64_t kept_bytes_max;
} ls_http_client_request;

/* The calls of the thread. */
typedef struct ls_http_client_config {
    const char *host; /* a name or an address, outlives the client; NULL: 127.0.0.1 */
    uint16_t port;
    bool has_tls; /* HTTPS: the server has to prove its name by a certificate that this system
                     trusts */
    /* May begin requests. */
    void (*step)(void *context);
    /* An answer 200 that is kept begins; `bytes` is its length, 0: the server does not tell. NULL
     * is allowed. */
    void (*begun)(void *context, uint32_t slot, uint64_t bytes);
    /* A part of a stream, or of an answer that is kept. False ends it. */
    bool (*received)(void *context, uint32_t slot, const char *data, size_t bytes);
    /* The request of a slot has ended, and another one may begin in it. `code` is that of the
     * answer; 0: there was none, and `reason` says why. */
    void (*ended)(void *context, uint32_t slot, uint32_t code, const char *reason);
    void *context;
} ls_http_client_config;

/* Starts the thread, which connects only for requests.
 *   errors  LS_ERROR_USAGE: this build has no HTTP; LS_ERROR_IO: no memory or no thread
 *   owns    ls_http_client_close() by the caller */
ls_status ls_http_client_open(const ls_http_client_config *config, ls_http_client **client,
                              ls_error *error) LS_MUST_USE;
/* Ends the thread, and all requests without a call. NULL is allowed. */
void ls_http_client_close(ls_http_client *client);

/* Whether the slot has a request under way.
 *   thread  that of the client; this is so for the function below, too */
bool ls_http_client_is_busy(const ls_http_client *client, uint32_t slot);
/* Begins a request in a slot that is not busy. It may end before this returns. */
void ls_http_client_begin(ls_http_client *client, uint32_t slot,
                          const ls_http_client_request *request);

#endif
