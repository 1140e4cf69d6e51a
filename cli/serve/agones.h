/* The client of the Agones sidecar: says that the server is ready and alive, how many rooms and
 * players it has and where it is, and takes allocations. A thread of its own does so; the tick
 * thread only publishes numbers and takes what has come. A sidecar that is late, slow, hostile or
 * gone never delays a tick.
 *   source  docs/operations-fleet.md */
#ifndef LS_AGONES_H
#define LS_AGONES_H

#include "cli/common/log.h"
#include "cli/serve/agones_facts.h"
#include "cli/serve/agones_gameserver.h"

/* Where the sidecar listens if the environment does not say so. */
#define LS_AGONES_PORT_DEFAULT 9358
/* The most allocations that wait for the network thread. */
#define LS_AGONES_ALLOCATIONS_MAX 8
/* How long ls_agones_shutdown() tries to reach the sidecar. */
#define LS_AGONES_SHUTDOWN_NS (5 * LS_SECOND_NS)
/* The period of health until the sidecar has said which one the fleet has. */
#define LS_AGONES_HEALTH_S 2

typedef struct ls_agones ls_agones;

typedef struct ls_agones_config {
    uint16_t port;            /* of the sidecar */
    const ls_public_key *key; /* the server's */
    /* Rooms open by allocation alone: without a room the server returns to the fleet. */
    bool is_pool;
    ls_log *log;
} ls_agones_config;

/* Starts the thread, which says at once that the server is ready.
 *   errors  those of ls_http_client_open()
 *   owns    ls_agones_close() by the caller; what the config points to outlives it
 *   thread  all functions: that of the server */
ls_status ls_agones_open(const ls_agones_config *config, ls_agones **agones,
                         ls_error *error) LS_MUST_USE;
/* Tells the sidecar that the server ends, for LS_AGONES_SHUTDOWN_NS at most. */
void ls_agones_shutdown(ls_agones *agones);
/* Ends the thread. NULL is allowed. */
void ls_agones_close(ls_agones *agones);

/* Says that the network thread makes progress. The sidecar gets a sign of health only after such a
 * call, and none while all matches are stalled. */
void ls_agones_beat(ls_agones *agones, bool is_stalled);
/* Copies the facts if they differ from the last ones, without a lock: 66 KB, some microseconds. */
void ls_agones_publish(ls_agones *agones, const ls_agones_facts *facts);
/* Takes the oldest allocation; false: there is none. */
bool ls_agones_take(ls_agones *agones, ls_agones_allocation *allocation);
/* Says that the allocation that was taken last opened no room; a pod without rooms becomes Ready
 * again. */
void ls_agones_refuse(ls_agones *agones);

#endif
