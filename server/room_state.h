/* A room: its match, recording and evidence, and the state of its tick loop. */
#ifndef LS_ROOM_STATE_H
#define LS_ROOM_STATE_H

#include "server/event_log.h"
#include "server/resume_replay.h"
#include "server/room_evidence.h"
#include "server/room_host.h"
#include "server/room_match.h"
#include "server/room_recording.h"
#include "server/session.h"
#include "server/snapshot_cache.h"
#include "server/tick_clock.h"
#include <lockstep/room_config.h>
#include <lockstep/room_stats.h>

typedef struct ls_pause_state {
    bool is_wanted;               /* the next tick pauses or resumes the match */
    uint32_t player;              /* that asked; player_count: the server */
    uint8_t used[LS_PLAYERS_MAX]; /* pauses that each seat has asked for */
    uint64_t since_ns;
} ls_pause_state;

struct ls_room {
    struct ls_server *server;
    const ls_room_host *host;
    char name[LS_ROOM_BYTES];
    uint32_t slot;   /* in the server's tables */
    uint8_t *flag;   /* there; raised, it asks for a step at once */
    uint64_t number; /* of rooms opened; never reused */
    uint32_t wait_players, lag_ticks_max, epoch;
    uint64_t ticks_max;
    bool end_when_empty, is_on_request, players_may_pause;
    ls_room_policy policy;
    ls_desync_policy desync;

    ls_event_log log;
    ls_room_match match;
    ls_room_recording recording;
    ls_room_evidence evidence;
    ls_snapshot_cache snapshots;
    ls_session *sessions; /* the active */
    ls_resume_state resume;

    ls_room_state state;
    ls_tick_clock clock;
    ls_pause_state pause;
    bool had_session, is_world_taken;
    bool wants_drain;   /* it ends as soon as it is restored */
    uint64_t opened_ns; /* its first step */
    uint64_t resend_ns; /* when the next check for ticks to send again is due */
    uint64_t end_ns, last_session_ns;
    uint64_t drained_ns;   /* 0: no drain was asked for */
    uint64_t simulated_ns; /* end of the last job of the world */
    bool is_lost; /* a thread still runs its abandoned job: nothing that the job uses is touched */
    bool has_final_root; /* the last tick is simulated, or never will be */
    char end_reason[LS_REASON_BYTES];
    uint64_t final_root, seats_version;
    ls_room_stats stats;
};

/* Ticks that clients lack are sent again although no later tick carries them. */
static inline void ls_room_resend_soon(ls_room *room, uint64_t now_ns)
{
    uint64_t latest_ns = now_ns + LS_SERVER_RESEND_NS;
    room->resend_ns = room->resend_ns < latest_ns ? room->resend_ns : latest_ns;
}

#endif
