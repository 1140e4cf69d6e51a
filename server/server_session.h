/* A session: one client's connection to a room, from the ACCEPT of its handshake to its end. */
#ifndef LS_SERVER_SESSION_H
#define LS_SERVER_SESSION_H

#include "proto/message.h"
#include "server/load_budget.h"
#include "server/pending.h"
#include "server/referee.h"
#include "server/resend_timer.h"
#include "server/state_slack.h"
#include "server/token_bucket.h"
#include <lockstep/room_config.h>

typedef enum ls_server_session_phase {
    LS_SERVER_SESSION_FREE = 0,
    LS_SERVER_SESSION_ACCEPTED, /* connected, waits for its CONFIRM */
    LS_SERVER_SESSION_ACTIVE,
} ls_server_session_phase;

typedef struct ls_server_session ls_server_session;
struct ls_server_session {
    ls_server_session_phase phase;
    ls_peer peer;
    ls_room *room;
    ls_server_session *next, *previous; /* in the room's list of active sessions */
    uint64_t since_ns;                  /* when the connection was established */
    uint64_t received_ns;               /* when the last authenticated message came */
    uint64_t arrived_ns;                /* when the packet in hand reached this machine */
    uint64_t moved_ns; /* since when its new host has no connection left for it; 0: it has */
    ls_seal seal;

    /* Match: */
    uint32_t seat; /* LS_SEAT_NONE: a spectator */
    bool has_asked_join;
    bool gives_up_seat;  /* its player leaves for good: the seat is not kept */
    bool wants_ticks;    /* the client has a world, so it can use ticks */
    bool wants_snapshot; /* its `request` waits for a snapshot */
    ls_snapshot_request request;
    uint64_t ack;        /* the client has every tick before this one */
    uint32_t congestion; /* of its line: see proto/congestion_level.h */
    uint64_t sent_ns;    /* when ticks were last sent */
    uint64_t sent_next,
        sent_before; /* one above the newest tick of the last two packets with new ticks */
    ls_resend_timer resend_timer;
    uint64_t load_ns; /* time of its first request to load since its last right root; 0: none */
    uint64_t reload_sent_ns; /* when RELOAD was last sent; 0: never */
    uint64_t reload_tick;    /* it was told to load a snapshot of this tick or later */
    uint64_t states_next;    /* one above the highest tick with a state of this client */
    uint64_t roots_next;     /* every root before this tick has come or never will */
    uint32_t stamp_us;       /* stamp of its newest UPDATE */
    uint64_t stamp_ns;       /* arrival of that UPDATE; at first the begin of the session */
    ls_state_slack slack;
    uint64_t report_ns; /* when its last REPORT was taken; 0: none was */
    ls_referee_case referee;
    bool was_asked;       /* an inquiry has asked this session, which happens only once */
    bool awaits_evidence; /* its inquiry is open; the verdict is applied when it ends */

    /* Budgets: */
    ls_token_bucket messages, inputs, gaps;
    ls_load_budget loads;
    uint64_t flood_since_ns, flood_last_ns; /* first and last input over the budget in a flood */
    uint64_t opens_since_ns, opens_failed_before; /* begin of a minute, seal.opens_failed then */

    ls_entrant
        entrant; /* the client's identity, from the handshake; last, because ticks hardly read it */
};

#endif
