/* The counters of a server, as plain numbers that another thread may read: the network thread fills
 * them in, and cli/serve/metrics_text.h and cli/serve/rooms_json.h print them. */
#ifndef LS_METRICS_H
#define LS_METRICS_H

#include "cli/serve/broadcast.h"
#include "cli/serve/finished_hook.h"
#include "cli/serve/retention.h"
#include "core/base/histogram.h"
#include "proto/link_web.h"
#include "server/client_times.h"
#include "server/server_state.h"
#include <lockstep/job_pool.h>
#include <lockstep/server.h>

typedef enum ls_metrics_state {
    LS_METRICS_RESTORING,
    LS_METRICS_WAITING,
    LS_METRICS_RUNNING,
    LS_METRICS_PAUSED,
    LS_METRICS_ENDING, /* or ended, or with a simulation that hangs */
    LS_METRICS_STATES,
} ls_metrics_state;

typedef enum ls_metrics_kind {
    LS_METRICS_PLAYER,
    LS_METRICS_BOT,
    LS_METRICS_SPECTATOR,
    LS_METRICS_KINDS,
} ls_metrics_kind;

/* Durations as a Prometheus histogram. Bucket i counts those below LS_HISTOGRAM_UNIT_NS, doubled
 * LS_METRICS_DOUBLINGS + i times: 64 us to 2.1 s. */
#define LS_METRICS_DOUBLINGS 2
#define LS_METRICS_BUCKETS   16
typedef struct ls_metrics_times {
    uint64_t below[LS_METRICS_BUCKETS], count, sum_ns;
} ls_metrics_times;

/* Sums over open and closed rooms. In `stats`, counters that never fall are sums; recording_bytes
 * is summed over open rooms, behind_ns and recording_unsynced_ticks are the largest of any open
 * room. */
typedef struct ls_metrics_sum {
    ls_room_stats stats;
    ls_metrics_times lateness, durations, syncs;
    /* As clients report them (server/client_times.h). */
    ls_metrics_times round_trip, input_delay, rollback;
    ls_client_loss loss;
    uint64_t recording_failures, recording_written_bytes;
} ls_metrics_sum;

typedef struct ls_metrics_room {
    char name[LS_ROOM_BYTES];
    uint32_t seats;
    bool requires_token;
    ls_room_stats stats;
    /* percentiles and maximum of the time that a tick took */
    uint64_t tick_p50_ns, tick_p99_ns, tick_max_ns;
} ls_metrics_room;

typedef struct ls_metrics {
    uint64_t taken_ns; /* monotonic; 0: never */
    bool is_draining;
    bool is_awaiting; /* of --take-over: newcomers wait for the matches of another process */
    bool is_stalled;  /* there are matches, and each has failed or its simulation hangs */
    ls_server_stats server;
    uint64_t handshakes_refused[LS_REFUSALS];
    ls_link_stats link;
    uint64_t web[LS_WEB_COUNTERS]; /* players over WebSocket */
    ls_metrics_sum rooms; /* since the start of the process, with the rooms that are closed */
    uint64_t states[LS_METRICS_STATES], kinds[LS_METRICS_KINDS];
    uint64_t recordings_failed; /* open rooms that no file records after a failure */
    uint64_t hook_failures, retention_failures, broadcast_failures;
    uint64_t log_lines_lost; /* that the log's output did not take */
    ls_metrics_times steps;  /* of the network thread */
    ls_job_pool_load jobs, disk_jobs;
    uint32_t room_count, room_capacity;
    ls_metrics_room *list; /* open rooms, unordered */
} ls_metrics;

/* Adds the durations of a histogram. */
void ls_metrics_add_times(ls_metrics_times *times, const ls_histogram *histogram);
/* Adds a room that is about to be closed, or one that is open. */
void ls_metrics_add_room(ls_metrics_sum *sum, const ls_room *room, const ls_room_stats *stats);
/* Where the counters of a process are. */
typedef struct ls_metrics_source {
    const ls_server *server;
    const ls_link *link;
    const ls_link *web; /* NULL: no players over WebSocket */
    ls_job_pool *pool, *disk_pool;
    const ls_finished_hook *hook; /* NULL: none; this is so for the next two, too */
    const ls_retention *retention;
    const ls_broadcast *broadcast;
    const ls_log *log;
    uint32_t peers_max;
    ls_metrics_sum closed; /* sums of the closed rooms */
    ls_histogram steps;    /* of the network thread */
} ls_metrics_source;
/* Fills in all metrics.
 *   thread  that of the server. Allocates only when there are more rooms than ever before */
void ls_metrics_take(ls_metrics *metrics, const ls_metrics_source *source, uint64_t now_ns);
void ls_metrics_reset(ls_metrics *metrics);

ls_metrics_state ls_metrics_state_of(const ls_room_stats *stats);
/* "restoring", "waiting" and so on. */
const char *ls_metrics_state_name(ls_metrics_state state);

#endif
