/* A room: one match, its clients, its recording. The server closes ticks on schedule, tells every
 * client what came in, simulates, and is the referee over the roots that the clients report.
 *
 * A step function of time and link events: no clock, socket, thread or file inside. Rooms are
 * values; any number fit in one process, each with a link of its own.
 *   thread  a server belongs to one thread at a time, the one that its link belongs to
 *   source  docs/protocol.md */
#ifndef LS_SERVER_H
#define LS_SERVER_H

#include "core/executor.h"
#include "core/program.h"
#include "core/world.h"
#include "proto/identity.h"
#include "proto/link.h"
#include "replays/sink.h"
#include "server/server_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_server ls_server;

/* Start from ls_server_config_default(). What create copies is said; all else outlives the server.
 */
typedef struct ls_server_config {
    const ls_program *program;
    ls_match match;              /* copied; ls_program_match() gives a usual one */
    ls_link *link;               /* of a listener; not destroyed by the server */
    const ls_identity *identity; /* copied */
    const uint8_t *psk;          /* 32 bytes, copied; NULL: an open server */
    const ls_entropy *entropy;   /* NULL: the system's */
    ls_executor *executor;       /* NULL: serial */

    /* Where the recording goes, or NULL for none; create takes the sink over, even when it fails.
     * A sink that fails later ends the recording, not the match. */
    const ls_sink *sink;
    const char *recording_name; /* for messages; NULL: "recording" */
    uint32_t sync_ticks; /* the recording is synced every so many ticks; 0: at its end only */

    /* Takes one line `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
    const char *room; /* named in every line, copied; NULL: no name */
    const char
        *build; /* compiler, CPU, system: told to clients, never compared, copied; may be NULL */

    uint64_t unix_s;       /* wall clock at the first step: certificate, recording header */
    uint32_t peers_max;    /* connections, 1..LS_LINK_PEERS_MAX; the link's own number */
    uint32_t wait_players; /* tick 0 waits until so many players are ready; 0: for nobody */
    uint64_t ticks_max;    /* the match ends after so many ticks; 0: never */
    bool end_when_empty;   /* the match ends when its last client has left */
} ls_server_config;

/* One player to wait for, 64 connections, a sync each LS_RECORDER_SYNC_TICKS_DEFAULT ticks. The
 * caller sets program, match, link and identity. */
LS_API ls_server_config ls_server_config_default(void);

/* Makes the state before tick 0 and begins the recording. Nothing is sent before the first step.
 *   errors  LS_ERROR_USAGE: a wrong match, or more waited for than there are seats; LS_ERROR_IO:
 *           the recording cannot begin. *server is then NULL
 *   owns    ls_server_destroy(*server) by the caller, before the link */
LS_API ls_status ls_server_create(const ls_server_config *config, ls_server **server,
                                  ls_error *error) LS_MUST_USE;
/* Ends without a word to anybody; a recording that is not finished stays readable. NULL is allowed.
 */
LS_API void ls_server_destroy(ls_server *server);

/* Does all that is due: takes the link's events, closes ticks, sends, flushes. Call it when the
 * time that it returns has come, or earlier when the link has something (ls_link_wait).
 *   unit  now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX when the
 *         server is done */
LS_API uint64_t ls_server_step(ls_server *server, uint64_t now_ns);

/* Ends the match at once and in order: no more joins or ticks, closing record, then up to
 * LS_SERVER_LINGER_NS of steps in which clients fetch what they lack and are told the end. Calling
 * it again changes nothing. */
LS_API void ls_server_drain(ls_server *server, uint64_t now_ns);
/* True when the match has ended and everybody was told. */
LS_API bool ls_server_is_done(const ls_server *server);

/* Ends one session with a reason that its user reads; an id that names none is ignored. */
LS_API void ls_server_kick(ls_server *server, ls_peer peer, const char *reason, uint64_t now_ns);

typedef enum ls_server_state {
    LS_SERVER_WAITING = 0, /* for players, before tick 0 */
    LS_SERVER_RUNNING,
    LS_SERVER_ENDING, /* no more ticks; stragglers fetch the last */
    LS_SERVER_ENDED,
} ls_server_state;

/* Counts since create unless said otherwise. Nothing here is per player. */
typedef struct ls_server_stats {
    ls_server_state state;
    uint64_t tick;          /* the next to close = ticks closed */
    uint64_t ticks_skipped; /* places in the schedule given up because the steps came too late */
    uint64_t lateness_ns;   /* of the last tick closed, against its schedule */
    uint32_t sessions;      /* now, after CONFIRM */
    uint32_t players;       /* seats that are taken in the stream now */
    uint64_t joins, leaves; /* events in the stream */
    uint64_t timeouts;      /* sessions that ended by silence */
    uint64_t kicks;
    uint64_t rejects; /* handshakes answered with a reason */
    uint64_t desyncs; /* sessions found to have diverged */
    uint64_t roots_checked;
    uint64_t inputs_accepted; /* taken into a tick */
    uint64_t inputs_late;     /* of these: landed after the tick they wished for */
    uint64_t inputs_refused;  /* by the validator, or too far ahead */
    uint64_t inputs_limited;  /* over the rate; the client repeats them */
    uint64_t frame_bytes;
    uint64_t packets_sent, bytes_sent;
    uint64_t packets_received, bytes_received;
    uint64_t packets_dropped; /* not authentic, replayed, malformed or over a budget */
    uint64_t gaps_answered;
    uint64_t snapshots_encoded, snapshot_bytes_sent;
    uint64_t recording_bytes, recording_unsynced_ticks;
    bool recording_failed;
    uint64_t log_lines_dropped;
} ls_server_stats;
LS_API ls_server_stats ls_server_get_stats(const ls_server *server);

/* One session, for lists and tests. */
typedef struct ls_server_peer_info {
    ls_peer peer;
    uint8_t player;  /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    bool is_playing; /* its JOIN is in the stream */
    bool is_bot;
    bool has_diverged;
    uint64_t desync_tick;   /* first differing, when it has diverged */
    uint64_t ack;           /* the next tick that it wants */
    uint64_t roots_checked; /* that were right */
    char name[LS_NAME_BYTES];
} ls_server_peer_info;
/* False when the slot (0..peers_max-1) holds no session. */
LS_API bool ls_server_peer(const ls_server *server, uint32_t slot, ls_server_peer_info *info);

/* The state before tick stats.tick, to look at between steps. */
LS_API ls_world *ls_server_world(ls_server *server);

#ifdef __cplusplus
}
#endif

#endif
