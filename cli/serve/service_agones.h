/* `serve --agones`: what the network thread tells the client of the sidecar, and the rooms that it
 * opens for allocations. */
#ifndef LS_SERVICE_AGONES_H
#define LS_SERVICE_AGONES_H

#include "cli/serve/agones.h"
#include "cli/serve/rooms.h"

typedef struct ls_service_agones ls_service_agones;

typedef struct ls_service_agones_config {
    const ls_service_options *options;
    const ls_server *server;
    ls_rooms *rooms;
    const ls_public_key *key; /* the server's */
    uint32_t peers_max, rooms_max;
    uint64_t seats; /* of rooms_max rooms */
    ls_log *log;
} ls_service_agones_config;

/* Starts the client. *agones is NULL without the option.
 *   errors  LS_ERROR_USAGE: AGONES_SDK_HTTP_PORT is no port; those of ls_agones_open()
 *   owns    ls_service_agones_close() by the caller, before the server; what the config points to
 *           outlives it
 *   thread  all functions: that of the server. NULL is allowed for `agones` */
ls_status ls_service_agones_open(const ls_service_agones_config *config, ls_service_agones **agones,
                                 ls_error *error) LS_MUST_USE;
/* Opens the rooms that were allocated and publishes what has changed. Call it before each step. */
void ls_service_agones_step(ls_service_agones *agones, uint64_t now_ns);
/* Tells the sidecar that the server ends. Call it when the files of all matches are whole. */
void ls_service_agones_shutdown(ls_service_agones *agones);
void ls_service_agones_close(ls_service_agones *agones);

#endif
