/* What the files of server/ share: the room and its sessions. They call downwards only:
 * server.c -> rounds.c -> dialogue.c, admission.c -> sessions.c -> the parts. */
#ifndef LS_SERVER_INTERNAL_H
#define LS_SERVER_INTERNAL_H

#include "proto/handshake.h"
#include "proto/message.h"
#include "replays/recorder.h"
#include "server/journal.h"
#include "server/referee.h"
#include "server/seats.h"
#include "server/server.h"
#include "server/snapshot_cache.h"
#include "server/tick_ring.h"

typedef enum ls_session_phase {
    LS_SESSION_FREE = 0,
    LS_SESSION_HANDSHAKE, /* connected, nothing proved */
    LS_SESSION_ACCEPTED,  /* keys exist; its CONFIRM has not come */
    LS_SESSION_ACTIVE,
} ls_session_phase;

typedef struct ls_session {
    ls_session_phase phase;
    ls_peer peer;
    uint64_t since_ns; /* of the connection */
    uint64_t heard_ns; /* last authenticated message */

    /* Handshake. */
    uint32_t attempts;
    uint32_t accept_bytes;
    uint8_t accept[LS_ACCEPT_BYTES_MAX]; /* a repeated AUTH gets the same answer */
    uint8_t new_secret[LS_RESUME_BYTES];
    uint8_t old_secret[LS_RESUME_BYTES]; /* of the session that it takes over */
    bool takes_over;                     /* its seat is still another session's */
    ls_seal seal;
    char name[LS_NAME_BYTES];
    bool is_bot;

    /* Match. */
    uint32_t seat; /* LS_SEAT_NONE: a spectator */
    bool has_asked_join;
    bool wants_ticks; /* it has a world to put them into */
    uint64_t ack;
    uint64_t sent_ns; /* of the last ticks */
    ls_referee_case referee;

    /* What it may cost. */
    ls_budget messages, inputs, gaps, snapshots;
    uint64_t flood_since_ns, flood_last_ns;
    uint64_t opens_since_ns, opens_failed_before;
} ls_session;

struct ls_server {
    const ls_program *program;
    ls_match match;
    ls_link *link;
    ls_executor *executor;
    uint64_t unix_s, first_ns, renewed_ns;
    bool has_stepped;
    uint32_t peers_max, wait_players, sync_ticks;
    uint64_t ticks_max;
    bool end_when_empty;

    ls_handshake_server handshake;
    ls_world *world;
    ls_recorder *recorder; /* NULL: none */
    ls_journal journal;
    ls_seats seats;
    ls_tick_ring ring;
    ls_referee referee;
    ls_snapshot_cache snapshots;
    ls_budget auths, snapshot_bytes;
    ls_session *sessions; /* by slot */

    ls_server_state state;
    bool had_session;
    uint64_t epoch_ns, epoch_tick; /* tick T is due at epoch_ns + (T - epoch_tick + 1) / rate */
    uint64_t end_ns, told_ns;
    ls_server_stats stats;
};

#endif
