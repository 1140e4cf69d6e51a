/* What a server keeps of one session. Private to server/. */
#ifndef LS_SERVER_SESSION_H
#define LS_SERVER_SESSION_H

#include "proto/message.h"
#include "server/pending.h"
#include "server/referee.h"
#include "server/resend_timer.h"
#include "server/token_bucket.h"
#include <lockstep/room_config.h>

typedef enum ls_session_phase {
    LS_SESSION_FREE = 0,
    LS_SESSION_ACCEPTED, /* connected; its CONFIRM has not come */
    LS_SESSION_ACTIVE,
} ls_session_phase;

typedef struct ls_session ls_session;
struct ls_session {
    ls_session_phase phase;
    ls_peer peer;
    ls_room *room;
    ls_session *next, *previous; /* in the room's list of the active */
    uint64_t since_ns;           /* of the connection */
    uint64_t received_ns;        /* last authenticated message */
    ls_entrant entrant;          /* who it is, as the gate found out */
    ls_seal seal;

    /* Match. */
    uint32_t seat; /* LS_SEAT_NONE: a spectator */
    bool has_asked_join;
    bool wants_ticks;    /* it has a world to put them into */
    bool wants_snapshot; /* it asked before there was one: */
    ls_snapshot_request request;
    uint64_t ack;
    uint64_t sent_ns; /* of the last ticks */
    ls_resend_timer resend_timer;
    uint64_t load_ns; /* of its first request for a snapshot since its newest right root; 0: none */
    uint64_t reload_sent_ns;
    uint64_t reload_tick; /* it was told to load a snapshot of this tick, or a later one */
    uint64_t states_next; /* behind the highest tick for which it has sent a state */
    uint32_t stamp_us;    /* of its newest UPDATE, and when that came, or the session began */
    uint64_t stamp_ns;
    int32_t slack_us[2]; /* least of the present and of the last period; LS_SLACK_NONE */
    uint64_t slack_ns;   /* when the present period began */
    ls_referee_case referee;
    bool was_asked;       /* it was asked what differs, which is done once */
    bool awaits_evidence; /* what follows from the verdict waits for its answers */

    /* What it may cost. */
    ls_token_bucket messages, inputs, gaps, snapshots;
    uint64_t flood_since_ns, flood_last_ns;
    uint64_t opens_since_ns, opens_failed_before;
};

#endif
