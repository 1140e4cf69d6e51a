/* A server: its link, rooms and sessions, and the tables and budgets of its handshakes. */
#ifndef LS_SERVER_STATE_H
#define LS_SERVER_STATE_H

#include "proto/handshake_server.h"
#include "server/egress.h"
#include "server/event_log.h"
#include "server/pending.h"
#include "server/room_state.h"
#include "server/server_session.h"
#include "server/spent_keys.h"
#include "server/token_bucket.h"
#include <lockstep/server_config.h>
#include <lockstep/server_stats.h>

/* Why a handshake was refused: each refused message counts under one reason. */
typedef enum ls_handshake_refusal {
    LS_REFUSED_LIMITED = 0,  /* a HELLO over a budget */
    LS_REFUSED_INCOMPATIBLE, /* a HELLO of another version or simulation, or without a token */
    LS_REFUSED_PUT_OFF,      /* an AUTH that is to come again later */
    LS_REFUSED_TOKEN,        /* an AUTH with a connect token that is not valid */
    LS_REFUSED_INVALID,      /* an AUTH with a wrong cookie or password, or that was used before */
    LS_REFUSED_DENIED,       /* an authentic AUTH for which there is no place */
    LS_REFUSALS,
} ls_handshake_refusal;

struct ls_server {
    ls_room_host host;
    ls_link *link;
    /* The wall clock showed unix_s at the monotonic time unix_ns. */
    uint64_t unix_s, unix_ns;
    uint64_t renewed_ns, expired_ns, stepped_ns, next_ns;
    bool has_stepped, is_draining, has_opened_room, is_done;
    uint64_t step_interval_ns, half_tick_ns; /* between steps while clients wait, and otherwise */
    uint64_t asked_ns;                       /* when a client last asked for an answer; 0: never */
    uint64_t rounds_exhausted;               /* the link's count at the last step */
    uint64_t auths_judged;                   /* AUTHs that were not answered from the table */
    bool is_flooded;                         /* the link had more events than one step handles */
    bool is_busy;                            /* the link had events in the last step */
    bool is_awaiting;  /* it is about to take matches over: newcomers wait for those */
    ls_remote forward; /* newcomers are sent there; zeros: they are refused */
    char successor[LS_REMOTE_TEXT_BYTES]; /* where its matches go on; "": it ends them */
    uint64_t empty_ns; /* since when no room is open and none can be opened; 0: not the case */
    ls_login_policy login;
    uint32_t peers_max, rooms_max;
    uint32_t connections_per_host, auths_per_host, rooms_per_host;
    uint32_t snapshots_per_host, snapshot_bytes_per_host;
    const char *peers_remedy, *connections_per_host_remedy, *auths_per_host_remedy;
    const char *snapshots_per_host_remedy, *rooms_per_host_remedy, *light_remedy;
    bool allows_light;
    ls_status (*make_room)(void *context, const char *name, ls_room_config *config,
                           ls_error *error);
    void (*room_ended)(void *context, ls_room *room);
    void *room_context;
    bool (*is_banned)(void *context, const ls_remote *remote, const char *client); /* or NULL */
    void *ban_context;

    ls_handshake_server handshake;
    ls_event_log log;
    ls_pending_table pending;
    ls_used_tokens tokens;
    ls_spent_keys spent;
    ls_token_bucket hellos, local_hellos, auths, gap_bytes; /* local_hellos: from loopback */
    ls_egress egress, snapshots; /* limits of everything that is sent, and of snapshots alone */
    /* Budgets of a network or a host, indexed by keyed hash. */
    ls_token_bucket network_hellos[LS_SERVER_BUCKETS], host_auths[LS_SERVER_BUCKETS];
    ls_token_bucket host_rooms[LS_SERVER_BUCKETS], host_log_lines[LS_SERVER_BUCKETS];
    ls_load_budget host_loads[LS_SERVER_BUCKETS];
    uint8_t bucket_key[16];
    ls_server_session *sessions; /* indexed by the link's slot */
    /* Indexed by a room's slot, which never changes: the room or NULL, the time of its next step,
     * and a flag. A message or a finished job raises the flag, so that the room is stepped at once.
     */
    ls_room **rooms;
    uint64_t *room_wakes;
    uint8_t *room_flags;
    uint32_t *due;                       /* slots of the rooms in the present step */
    uint32_t slot_count, room_count;     /* slots ever used; open rooms */
    uint64_t room_number, seats_version; /* seats_version rises with each room's */
    ls_server_stats stats;
    uint64_t handshakes_refused[LS_REFUSALS];
};

/* Notes a change of what is stored about the room's seats (server/seats_file.h). */
static inline void ls_room_note_seats(ls_room *room)
{
    room->seats_version++;
    room->server->seats_version++;
}

/* Arguments for "%s%s%s": " (what raises the limit)", or nothing. */
#define LS_REMEDY(text_) (text_) ? " (" : "", (text_) ? (text_) : "", (text_) ? ")" : ""

#endif
