/* One session of a server. */
#ifndef LS_SERVER_SESSION_H
#define LS_SERVER_SESSION_H

#include "proto/message.h"
#include "server/load_budget.h"
#include "server/pending.h"
#include "server/referee.h"
#include "server/resend_timer.h"
#include "server/token_bucket.h"
#include <lockstep/room_config.h>

typedef enum ls_session_phase {
    LS_SESSION_FREE = 0,
    LS_SESSION_ACCEPTED, /* connected, before its CONFIRM */
    LS_SESSION_ACTIVE,
} ls_session_phase;

typedef struct ls_session ls_session;
struct ls_session {
    ls_session_phase phase;
    ls_peer peer;
    ls_room *room;
    ls_session *next, *previous; /* in the room's list of the active */
    uint64_t since_ns;           /* of the connection */
    uint64_t received_ns;        /* of the last authenticated message */
    ls_entrant entrant;          /* its identity, from the handshake */
    ls_seal seal;

    /* Match. */
    uint32_t seat; /* LS_SEAT_NONE: a spectator */
    bool has_asked_join;
    bool wants_ticks;    /* its world is loaded, so it can use ticks */
    bool wants_snapshot; /* it asked before there was a snapshot: */
    ls_snapshot_request request;
    uint64_t ack;
    uint64_t sent_ns;                /* of the last ticks */
    uint64_t sent_next, sent_before; /* one above the newest of the last packet, of that before */
    ls_resend_timer resend_timer;
    uint64_t load_ns; /* of its first request for a snapshot since its last right root; 0: none */
    uint64_t reload_sent_ns;
    uint64_t reload_tick; /* it was told to load a snapshot of this tick, or a later one */
    uint64_t states_next; /* one above the highest tick of its states */
    uint64_t roots_next;  /* every root before this tick was received or will not come */
    uint32_t stamp_us; /* of its newest UPDATE, and its arrival; the session's begin before that */
    uint64_t stamp_ns;
    int32_t slack_us[2]; /* least of the present and of the last period; LS_SLACK_NONE */
    uint64_t slack_ns;   /* when the present period began */
    ls_referee_case referee;
    bool was_asked;       /* an inquiry asks a session only once */
    bool awaits_evidence; /* the verdict is applied when its inquiry ends */

    /* Budgets. */
    ls_token_bucket messages, inputs, gaps;
    ls_load_budget loads;
    uint64_t flood_since_ns, flood_last_ns;
    uint64_t opens_since_ns, opens_failed_before;
};

#endif
