/* What the files of server/ share: the server, its rooms and their sessions. They call downwards
 * only: server.c -> gate.c, rounds.c -> dialogue.c -> sessions.c -> the parts. */
#ifndef LS_SERVER_INTERNAL_H
#define LS_SERVER_INTERNAL_H

#include "proto/handshake_server.h"
#include "server/driver.h"
#include "server/event_log.h"
#include "server/evidence_bundle.h"
#include "server/keyframes.h"
#include "server/resume_state.h"
#include "server/seats.h"
#include "server/segment.h"
#include "server/session.h"
#include "server/snapshot_cache.h"
#include "server/tick_ring.h"
#include <lockstep/recorder.h>
#include <lockstep/server.h>

/* The recording, the job that waits for the disk, and that which packs keyframes. */
typedef struct ls_room_record {
    ls_job job; /* of the ticket, of the beginning and of the end */
    ls_recorder_ticket ticket;
    ls_recorder *recorder; /* NULL: none */
    ls_keyframes keyframes;
    ls_segment segment; /* when the disk refuses */
    uint32_t sync_ticks, sign_ticks, segments;
    uint64_t salt; /* of its header: what belongs to it is known by that */
    bool has_failed, is_finished, had_failed; /* has_failed: until a segment goes on */
    bool is_ending;  /* it is to be finished as soon as no job works on it */
    bool is_closing; /* the job finishes it, and has it for itself: */
    ls_closing_reason reason;
    uint64_t closing_bytes, closing_unsynced_ticks, closed_bytes, closed_unsynced_ticks;
    bool is_opening; /* the job begins it with these, and makes: */
    ls_recorder_config opening;
    ls_recording_header header;
    ls_recorder *opened;
    ls_status status;
    ls_error error;
} ls_room_record;

/* What is being found out about a client whose world differs (server/desync_inquiry.h). */
typedef struct ls_evidence_case {
    struct ls_evidence_case *next;
    ls_peer peer;               /* of whom */
    ls_evidence *facts;         /* about it, when the verdict fell */
    ls_state_exchange *inquiry; /* the driver's, while that works on it */
    /* What of it may go meanwhile, and then owns the two; NULL: none yet. */
    ls_evidence_bundle *bundle;
    bool has_frames;   /* the bundle */
    uint64_t since_ns; /* the verdict */
    uint64_t turn_ns;  /* its first question; 0: it waits for others, or for our own state */
    uint64_t asked_ns; /* 0: not yet what it is about to be asked */
} ls_evidence_case;

typedef struct ls_room_evidence {
    ls_status (*open)(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                      char name[LS_EVIDENCE_BUNDLE_NAME_BYTES], ls_error *error);
    void *context;
    char recording[LS_RECORDING_TEXT_BYTES]; /* of the match; "": none */
    ls_evidence_bundle *bundles;             /* being written */
    ls_evidence_case *open_cases;            /* the first is asked, the others wait */
    uint32_t open_count;
} ls_room_evidence;

struct ls_room {
    ls_server *server;
    char name[LS_ROOM_BYTES];
    uint32_t slot; /* in the server's tables, and the flag there that asks for a step at once */
    uint8_t *flag;
    uint64_t number; /* of rooms opened; never used again */
    ls_match match;
    uint32_t wait_players, lag_ticks_max, epoch;
    uint64_t ticks_max;
    bool end_when_empty, is_on_request, players_may_pause;
    uint64_t opened_ns; /* its first step */
    ls_room_policy policy;
    ls_desync_policy desync;

    ls_event_log journal;
    ls_seats seats;
    ls_tick_ring ring;
    ls_referee referee;
    ls_driver driver;
    ls_snapshot_cache snapshots;
    ls_room_record record;
    ls_room_evidence evidence;
    ls_session *sessions; /* the active */

    ls_resume_state restore;
    bool wants_drain; /* it is to end as soon as it is restored */

    ls_room_state state;
    bool had_session, is_world_taken;
    bool is_paused, wants_pause;    /* is, and is to be behind the next tick */
    uint32_t pause_player;          /* who wants it; the match's player_count: the server */
    uint8_t pauses[LS_PLAYERS_MAX]; /* that a seat has asked for */
    uint64_t paused_ns;             /* since when it stands */
    uint64_t epoch_ns, epoch_tick;  /* tick T is due at epoch_ns + (T - epoch_tick + 1) / rate */
    uint64_t held_since_ns;         /* a tick waits for a player; 0: none does */
    uint64_t repeat_ns;             /* when ticks are repeated next to those who lack them */
    uint64_t end_ns, told_ns, drained_ns; /* drained_ns 0: nobody wants it to stop */
    uint64_t simulated_ns;                /* when a job of the world ended last */
    bool is_lost; /* a thread is at a job of it that was abandoned: what that touches is its */
    bool has_final_root; /* simulated to the end, or never will be */
    char end_reason[LS_REASON_BYTES];
    uint64_t final_root, seats_version;
    ls_room_stats stats;
};

struct ls_server {
    const ls_program *program;
    ls_link *link;
    ls_jobs *jobs, *disk_jobs;
    uint64_t unix_s, now_unix_s, unix_ns, renewed_ns, looked_ns, stepped_ns, next_ns;
    bool has_stepped, is_draining, had_room, is_done;
    uint64_t rest_ns, rounds_exhausted; /* between steps; of the link, up to the last step */
    bool is_flooded, is_busy; /* the link has more than one step takes; it had something */
    uint64_t empty_ns; /* since when there is no room any more and none to come; 0: not yet */
    ls_login_policy login;
    uint32_t peers_max, peers_per_address, rooms_max;
    char build[LS_BUILD_TEXT_BYTES];
    ls_status (*make_room)(void *context, const char *name, ls_room_config *config,
                           ls_error *error);
    void (*room_ended)(void *context, ls_room *room);
    void *room_context;

    ls_handshake_server handshake;
    ls_entropy entropy;
    ls_event_log journal;
    ls_pending_table pending;
    ls_used_tokens tokens;
    ls_token_bucket hellos, local_hellos, auths, snapshot_bytes, gap_bytes; /* local: of 127/8 */
    /* By keyed hash: HELLOs of a /24, AUTHs of a host, rooms that it opens. */
    ls_token_bucket networks[LS_SERVER_BUCKETS], hosts[LS_SERVER_BUCKETS];
    ls_token_bucket openers[LS_SERVER_BUCKETS];
    uint8_t bucket_key[16];
    ls_session *sessions; /* by slot */
    /* By slot, which a room keeps: NULL or a room, when it wants its next step, and whether it
     * wants one at once, because a message or a job has brought something. */
    ls_room **rooms;
    uint64_t *room_wakes;
    uint8_t *room_flags;
    uint32_t *due;                       /* slots of the step under way */
    uint32_t slot_count, room_count;     /* slots that were ever in use */
    uint64_t room_number, seats_version; /* the latter rises with that of each room */
    ls_server_stats stats;
};

#endif
