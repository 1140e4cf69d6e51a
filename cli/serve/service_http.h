/* `serve --http`: the metrics that the network thread publishes, and the thread that prints them
 * and serves the viewer. */
#ifndef LS_SERVICE_HTTP_H
#define LS_SERVICE_HTTP_H

#include "cli/common/log.h"
#include "cli/serve/metrics.h"
#include "cli/serve/service_admin.h"
#include "cli/serve/service_lobby.h"
#include "cli/serve/service_options.h"

typedef struct ls_service_http ls_service_http;

typedef struct ls_service_http_config {
    const ls_service_options *options; /* without an address for HTTP there is no port */
    ls_link *web;                      /* of players over WebSocket; NULL: none */
    const char *sim;
    const ls_metrics_source *source;
    ls_service_admin *admin; /* answers POST; NULL: none */
    ls_service_lobby *lobby; /* answers the calls of a lobby */
    ls_log *log;
} ls_service_http_config;

/* Publishes the first metrics, then opens the port and logs it. *http is NULL without one.
 *   errors  NOT_FOUND: the folder has no viewer; those of ls_http_open()
 *   owns    ls_service_http_close() by the caller, before the server; what the config points to
 *           outlives it
 *   thread  all functions: that of the server. NULL is allowed for `http` */
ls_status ls_service_http_open(const ls_service_http_config *config, ls_service_http **http,
                               ls_error *error) LS_MUST_USE;
void ls_service_http_close(ls_service_http *http);

/* Call it when all matches have ended. Waits until the followers of a broadcast have fetched its
 * end: until none has asked for 2.5 seconds, and six seconds at most. */
void ls_service_http_linger(const ls_service_http *http);

/* Publishes new metrics if LS_HTTP_PUBLISH_NS have passed. Call it after each step. */
void ls_service_http_publish(ls_service_http *http, uint64_t now_ns);

#endif
