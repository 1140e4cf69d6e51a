/* The parts of a server process that its rooms use (cli/serve/rooms.h). */
#ifndef LS_ROOMS_CONFIG_H
#define LS_ROOMS_CONFIG_H

#include "cli/common/log.h"
#include "cli/serve/metrics.h"
#include "cli/serve/service_options.h"

typedef struct ls_rooms ls_rooms;

typedef struct ls_rooms_config {
    const ls_service_options *options;
    const ls_program *program;
    ls_executor *executor; /* used by the first room that opens; two cannot share it */
    ls_jobs *jobs;
    ls_log *log;
    struct ls_finished_hook *hook;  /* NULL: none */
    struct ls_broadcast *broadcast; /* NULL: none */
    ls_async_writer *out;
    ls_metrics_sum *closed; /* counts the rooms that are closed */
} ls_rooms_config;

#endif
