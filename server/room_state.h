/* A room: its match, recording and evidence, and the state of its tick loop. */
#ifndef LS_ROOM_STATE_H
#define LS_ROOM_STATE_H

#include "core/base/histogram.h"
#include "server/client_times.h"
#include "server/event_log.h"
#include "server/resume_replay.h"
#include "server/room_evidence.h"
#include "server/room_host.h"
#include "server/room_match.h"
#include "server/room_recording.h"
#include "server/server_session.h"
#include "server/snapshot_cache.h"
#include "server/tick_clock.h"
#include <lockstep/room_config.h>
#include <lockstep/room_stats.h>

/* A match that goes on in another process (server/room_handover.h). */
typedef enum ls_handover_phase {
    LS_HANDOVER_NONE = 0,
    LS_HANDOVER_STOPPED, /* no more ticks, and its recording is being released */
    LS_HANDOVER_OVER,    /* its clients have been told */
} ls_handover_phase;

typedef struct ls_pause_state {
    bool is_wanted;               /* the next tick pauses or resumes the match */
    uint32_t player;              /* the player that asked; player_count: the server */
    uint8_t used[LS_PLAYERS_MAX]; /* pauses that each seat has asked for */
    uint64_t since_ns;            /* when the pause began */
} ls_pause_state;

struct ls_room {
    struct ls_server *server;
    const ls_room_host *host;
    char name[LS_ROOM_BYTES];
    uint32_t slot;   /* index in the server's tables */
    uint8_t *flag;   /* element of server->room_flags; when raised, the room is stepped at once */
    uint64_t number; /* counts opened rooms; never reused */
    uint32_t wait_players, lag_ticks_max, epoch;
    uint64_t ticks_max;
    bool end_when_empty, is_on_request, players_may_pause, requires_token;
    uint64_t unused_ns;     /* how long a room on request waits for its first client */
    uint64_t keep_seats_ns; /* how long a lost session's seat is kept; 0: not at all */
    ls_room_policy policy;
    ls_desync_policy desync;

    ls_event_log log;
    ls_room_match match;
    ls_room_recording recording;
    ls_room_evidence evidence;
    ls_snapshot_cache snapshots;
    ls_server_session *sessions; /* list of the active sessions */
    ls_resume_state resume;

    ls_room_state state;
    ls_tick_clock clock;
    ls_pause_state pause;
    bool had_session, is_world_taken;
    bool wants_drain; /* the room ends as soon as it is restored */
    ls_handover_phase handover;
    ls_room_state stopped_from; /* the state to which a handover that fails returns */
    bool is_taken_over;         /* taken over from another process: its players follow */
    uint64_t start_by_ns; /* then a match that was taken over goes on without missing players */
    uint64_t opened_ns;   /* time of the first step, or of the end of the restore */
    uint64_t resend_ns;   /* when the room next checks for ticks to send again; UINT64_MAX: never */
    uint64_t end_ns, last_session_ns;
    uint64_t drained_ns;   /* when a drain was requested; 0: it was not */
    uint64_t simulated_ns; /* when the driver's last job ended */
    bool is_lost; /* a thread still runs an abandoned job: data of that job must not be used */
    bool has_final_root; /* the last tick is simulated, or was given up */
    char end_reason[LS_REASON_BYTES];
    uint64_t final_root, seats_version;
    ls_room_stats stats;
    ls_histogram late; /* lateness of closed ticks against the schedule */
    ls_histogram took; /* time to simulate a tick */
    ls_client_times clients;
};

/* Makes the room check for missing ticks within LS_SERVER_RESEND_NS, because no later tick will
 * carry them. */
static inline void ls_room_resend_soon(ls_room *room, uint64_t now_ns)
{
    uint64_t latest_ns = now_ns + LS_SERVER_RESEND_NS;
    room->resend_ns = room->resend_ns < latest_ns ? room->resend_ns : latest_ns;
}

#endif
