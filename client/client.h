/* A client: enters a match, builds its own world from a snapshot and the ticks since, reports the
 * root of every tick, sends inputs.
 *
 * A step function of time and link events: no clock, socket, thread or file inside. Any number fit
 * in one process, each with a link of its own.
 *   thread  a client belongs to one thread at a time, the one that its link belongs to
 *   source  docs/protocol.md */
#ifndef LS_CLIENT_H
#define LS_CLIENT_H

#include "client/client_limits.h"
#include "core/executor.h"
#include "core/program.h"
#include "core/world.h"
#include "proto/identity.h"
#include "proto/link.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_client ls_client;

#define LS_TICK_NEVER UINT64_MAX

/* Start from ls_client_config_default(). What create copies is said; all else outlives the client.
 */
typedef struct ls_client_config {
    const ls_program *program; /* must have the server's fingerprint */
    ls_link *link;             /* a fresh one to the server; not destroyed by the client */
    ls_executor *executor;     /* NULL: serial */
    const ls_entropy *entropy; /* NULL: the system's */

    /* Whom to trust: the pinned key (copied), else whatever `trust` accepts, else anybody. `trust`
     * is asked once, after the server has shown that the key is its own and before anything secret
     * is sent: LS_OK, or a refusal whose text the user reads. See proto/known_servers.h. */
    const ls_public_key *pin;
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    const uint8_t *psk;           /* 32 bytes, copied; NULL: an open server */
    const uint8_t *resume_secret; /* LS_RESUME_BYTES of an earlier session, copied: take its seat */

    char name[LS_NAME_BYTES]; /* UTF-8 without control characters; may be empty */
    const char *build;        /* compiler, CPU, system: told to the server, copied; may be NULL */
    bool is_spectator;        /* takes no seat */
    bool is_bot;              /* the simulation's bot plays the seat */
    uint64_t unix_s;          /* wall clock at the first step, for the server's certificate */
    uint32_t snapshot_bytes_max; /* a larger one is refused */

    /* For tests of desync detection: one bit of this client's world is flipped when it reaches this
     * tick; LS_TICK_NEVER: not. */
    uint64_t corrupt_at;
    uint64_t corrupt_pick; /* which bit: see ls_world_flip_bit */

    /* Takes one line `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
} ls_client_config;

/* A nameless player that trusts anybody. The caller sets program and link. */
LS_API ls_client_config ls_client_config_default(void);

/* errors  LS_ERROR_USAGE: the name cannot be sent; *client is then NULL
 *   owns    ls_client_destroy(*client) by the caller, before the link */
LS_API ls_status ls_client_create(const ls_client_config *config, ls_client **client,
                                  ls_error *error) LS_MUST_USE;
/* Leaves without a word (see ls_client_leave) and wipes all keys. NULL is allowed. */
LS_API void ls_client_destroy(ls_client *client);

/* Does all that is due: takes the link's events, advances the world by what has come, reports,
 * sends, flushes. Call it when the time that it returns has come, or earlier when the link has
 * something (ls_link_wait). Never waits.
 *   unit  now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX once the state
 *         is final */
LS_API uint64_t ls_client_step(ls_client *client, uint64_t now_ns);

/* Tells the server that this client leaves, and why (may be ""); the state becomes ENDED. */
LS_API void ls_client_leave(ls_client *client, const char *why, uint64_t now_ns);

typedef enum ls_client_state {
    LS_CLIENT_CONNECTING = 0, /* the link is under way */
    LS_CLIENT_HANDSHAKE,
    LS_CLIENT_LOADING, /* the snapshot comes in */
    LS_CLIENT_PLAYING, /* ticks come in; a player or a spectator */
    /* Final, each with a reason: */
    LS_CLIENT_ENDED,   /* the match is over, or the client has left */
    LS_CLIENT_REFUSED, /* the server, or our own trust in it, says no; or we were kicked */
    LS_CLIENT_LOST,    /* never reached, or silent for too long, or it broke the protocol */
} ls_client_state;
LS_API ls_client_state ls_client_get_state(const ls_client *client);
LS_API bool ls_client_is_final(const ls_client *client);
/* The lowercase word for a state. */
LS_API const char *ls_client_state_name(ls_client_state state);
/* Why the state is what it is, for people; never NULL. Lives as long as the client. */
LS_API const char *ls_client_reason(const ls_client *client);

/* Queues an input for the first open tick; it lands exactly once, in the order of the calls.
 *   shape   `bytes` 1..LS_INPUT_BYTES_MAX
 *   errors  LS_ERROR_REFUSED: not (yet) a player; LS_ERROR_USAGE: the simulation's validator says
 *           no; LS_ERROR_LIMIT: LS_CLIENT_INPUT_QUEUE are un-acknowledged, try later */
LS_API ls_status ls_client_submit(ls_client *client, const uint8_t *data,
                                  uint32_t bytes) LS_MUST_USE;

/* The confirmed world, to look at between steps; NULL before PLAYING was reached once. Lives as
 * long as the client. */
LS_API ls_world *ls_client_world(ls_client *client);
/* What the handshake has brought, or NULL before: the server's key (from the COOKIE on), and the
 * secret that takes this seat over again (from the ACCEPT on), LS_RESUME_BYTES. */
LS_API const ls_public_key *ls_client_server_key(const ls_client *client);
LS_API const uint8_t *ls_client_resume_secret(const ls_client *client);
LS_API const char *ls_client_server_build(const ls_client *client);

typedef struct ls_client_stats {
    uint64_t tick;        /* of the own world: the next to run */
    uint64_t head;        /* of the server, as far as known: the next that it will close */
    uint64_t delay_ticks; /* head - tick: known to exist, not yet run here */
    uint64_t rtt_ns;      /* smoothed; 0: not known */
    uint64_t silence_ns;  /* since the last authenticated message, at the last step */
    uint8_t player;       /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    bool is_playing;      /* the own JOIN was run */
    bool has_diverged;    /* the server says so: */
    uint64_t desync_tick; /* first differing */
    uint64_t root_own, root_server; /* there */
    bool was_corrupted;             /* corrupt_at was done */
    uint64_t roots_sent;
    uint64_t inputs_submitted, inputs_acked;
    uint64_t snapshots_loaded, snapshot_bytes;
    uint64_t gaps; /* asked for */
    uint64_t packets_sent, bytes_sent;
    uint64_t packets_received, bytes_received;
    uint64_t packets_dropped; /* not authentic, replayed or malformed */
} ls_client_stats;
LS_API ls_client_stats ls_client_get_stats(const ls_client *client);

#ifdef __cplusplus
}
#endif

#endif
