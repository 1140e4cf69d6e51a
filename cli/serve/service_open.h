/* The parts of a running server process, opened and closed by service_open.c, run by service.c.
 */
#ifndef LS_SERVICE_OPEN_H
#define LS_SERVICE_OPEN_H

#include "cli/common/log.h"
#include "cli/module/sim_load.h"
#include "cli/serve/broadcast.h"
#include "cli/serve/finished_hook.h"
#include "cli/serve/handover.h"
#include "cli/serve/rooms.h"
#include "cli/serve/service_admin.h"
#include "cli/serve/service_agones.h"
#include "cli/serve/service_http.h"
#include "cli/serve/service_manager.h"
#include "cli/serve/service_network.h"
#include "cli/serve/service_rights.h"
#include "cli/serve/takeover.h"
#include <lockstep/job_pool.h>

typedef struct ls_service {
    const ls_service_options *options;
    ls_log log;
    ls_async_writer *out;
    uint32_t workers;
    ls_loaded_sim loaded;
    ls_identity identity;
    ls_token_key token_keys[LS_TOKEN_KEYS_MAX];
    ls_service_addresses addresses;
    uint8_t psk[32];
    ls_service_links links;
    ls_job_pool *pool, *disk_pool;
    ls_executor *executor;
    ls_rooms *rooms;
    ls_finished_hook *hook;  /* NULL: none */
    ls_broadcast *broadcast; /* NULL: none */
    ls_retention *retention; /* NULL: recordings stay */
    uint32_t peers_max;
    ls_server *server;
    ls_metrics_source metrics;
    ls_service_http *http; /* NULL: none */
    ls_service_rights rights;
    ls_service_manager manager;
    ls_service_admin *admin;   /* NULL: none */
    ls_service_lobby *lobby;   /* NULL: none */
    ls_service_agones *agones; /* NULL: none */
    ls_handover *handover;
    ls_takeover *takeover; /* NULL: none */
} ls_service;

/* Opens all parts in order. After an error ls_service_close() closes those that are open. */
ls_status ls_service_open(ls_service *service, ls_error *error) LS_MUST_USE;
/* Returns `status`, or what went wrong with the log. */
ls_status ls_service_close(ls_service *service, ls_status status, ls_error *error) LS_MUST_USE;

#endif
