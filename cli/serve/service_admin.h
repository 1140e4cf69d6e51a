/* `serve --admin` and `serve --http-token`: the socket, the actions on the HTTP port, and what is
 * asked there of the network thread. */
#ifndef LS_SERVICE_ADMIN_H
#define LS_SERVICE_ADMIN_H

#include "cli/common/log.h"
#include "cli/serve/handover.h"
#include "cli/serve/http_message.h"
#include "cli/serve/metrics.h"
#include "cli/serve/rooms.h"
#include "cli/serve/service_rights.h"

typedef struct ls_service_admin ls_service_admin;

typedef struct ls_service_admin_config {
    const char *path;      /* of the socket; NULL: none */
    bool has_lobby;        /* a lobby opens rooms */
    bool has_http;         /* actions on the HTTP port, by the token of `rights` */
    const char *bans_file; /* NULL: bans end with the process */
    const char *sim;
    ls_server *server;
    ls_link *link;
    const ls_link *web; /* the part of `link` for players over WebSocket; NULL: none */
    const ls_metrics_source *metrics;
    ls_service_rights *rights;
    ls_handover *handover;
    ls_rooms *rooms;
    const ls_service_options *options;
    ls_successor_config predecessor; /* this server, for one that takes its matches over */
    ls_log *log;
} ls_service_admin_config;

/* Opens the socket and logs it. *admin is NULL without a socket, actions on the HTTP port and a
 * lobby.
 *   errors  those of ls_admin_port_open()
 *   owns    ls_service_admin_close() by the caller, before the server; what the config points to
 *           outlives it
 *   thread  all functions, but for the last four: that of the server. NULL is allowed for `admin`
 */
ls_status ls_service_admin_open(const ls_service_admin_config *config, ls_service_admin **admin,
                                ls_error *error) LS_MUST_USE;
/* Nothing more is asked of the network thread, so that the HTTP port can be closed. */
void ls_service_admin_stop(ls_service_admin *admin);
/* After ls_service_admin_stop(), when no HTTP port uses it any more. */
void ls_service_admin_close(ls_service_admin *admin);
/* Does what was asked. Call it before each step. */
void ls_service_admin_step(ls_service_admin *admin, uint64_t now_ns);

/* Takes the metrics. False: the network thread hangs or has ended, or `admin` is NULL.
 *   owns    ls_metrics_reset() by the caller
 *   thread  any but that of the server; NULL is allowed for `admin`, also in the two below */
bool ls_service_admin_take(ls_service_admin *admin, ls_metrics *metrics) LS_MUST_USE;
/* Does what `lockstep admin open` does, for a lobby; `from` is for the log. */
ls_status ls_service_admin_open_room(ls_service_admin *admin, const char *from, const char *room,
                                     const char *wishes, ls_error *error) LS_MUST_USE;

/* As ls_http_config.admits and .post. Without a token the paths do not exist.
 *   thread  those of the HTTP port */
bool ls_service_admin_admits(ls_service_admin *admin, const ls_http_post *post,
                             ls_http_answer *answer);
void ls_service_admin_post(ls_service_admin *admin, const ls_http_post *post,
                           ls_http_answer *answer);

#endif
