/* `serve --admin`: the socket, and what is asked there of the network thread. */
#ifndef LS_SERVICE_ADMIN_H
#define LS_SERVICE_ADMIN_H

#include "cli/common/log.h"
#include "cli/serve/metrics.h"
#include "cli/serve/service_rights.h"

typedef struct ls_service_admin ls_service_admin;

typedef struct ls_service_admin_config {
    const char *path;      /* of the socket; NULL: none */
    const char *bans_file; /* NULL: bans end with the process */
    const char *sim;
    ls_server *server;
    ls_link *link;
    const ls_metrics_source *metrics;
    ls_service_rights *rights;
    ls_log *log;
} ls_service_admin_config;

/* Opens the socket and logs it. *admin is NULL without one.
 *   errors  those of ls_admin_port_open()
 *   owns    ls_service_admin_close() by the caller, before the server; what the config points to
 *           outlives it
 *   thread  all functions: that of the server. NULL is allowed for `admin` */
ls_status ls_service_admin_open(const ls_service_admin_config *config, ls_service_admin **admin,
                                ls_error *error) LS_MUST_USE;
void ls_service_admin_close(ls_service_admin *admin);
/* Does what was asked. Call it before each step. */
void ls_service_admin_step(ls_service_admin *admin, uint64_t now_ns);

#endif
