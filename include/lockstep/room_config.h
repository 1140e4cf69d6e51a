/* How a room is opened (ls_server_open_room). */
#ifndef LS_ROOM_CONFIG_H
#define LS_ROOM_CONFIG_H

#include <lockstep/executor.h>
#include <lockstep/limits.h>
#include <lockstep/recording.h>
#include <lockstep/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_room ls_room;

/* Whether a slow player holds up the others. */
typedef enum ls_room_policy {
    LS_ROOM_PACE = 0, /* never: a tick closes when it is due */
    LS_ROOM_WAIT,     /* a tick waits for every player, for small matches among friends */
} ls_room_policy;

/* The treatment of a client with a world that differs from the server's. */
typedef enum ls_desync_policy {
    LS_DESYNC_REPORT = 0, /* it is informed, and continues */
    LS_DESYNC_RESYNC,     /* it loads a snapshot, once in a match; the next time: KICK */
    LS_DESYNC_KICK,
} ls_desync_policy;

#define LS_ROOM_TICKS_AUTO           UINT32_MAX
#define LS_ROOM_COLUMN_TICKS_MIN     8
#define LS_ROOM_COLUMN_TICKS_DEFAULT 64
#define LS_ROOM_SIGN_TICKS_DEFAULT   300

/* Start from ls_room_config_default(). Opening copies what says so; all else outlives the room. */
typedef struct ls_room_config {
    const char *name; /* "" or NULL: none; under LS_ROOM_BYTES, copied */
    ls_match match;   /* copied; ls_program_match() makes a default one */
    ls_executor
        *executor; /* NULL: serial. Rooms may share one only when their jobs run one at a time */

    /* The recording's file, owned by the room even when opening fails; NULL: none. A later write
     * error ends the file, not the match. */
    const ls_sink *sink;
    const char *recording_name; /* for messages; NULL: "recording" */
    /* Opens the next file, NAME.N.lsr, of a recording that failed; called by a job.
     * ls_file_sink_create() fits. NULL: the recording ends. */
    ls_status (*open_segment)(const char *name, ls_sink *sink, ls_error *error);
    uint32_t sync_ticks;     /* ticks between two syncs; 0: only at the end */
    uint32_t sign_ticks;     /* ticks between two signatures; 0: only at the end */
    uint32_t column_ticks;   /* column hashes at multiples of this; 0: none, else at least
                                LS_ROOM_COLUMN_TICKS_MIN */
    uint32_t keyframe_ticks; /* ticks between two keyframes; 0: none, LS_ROOM_TICKS_AUTO: as the
                                budget of replays/keyframe.h allows, with measured costs */

    uint32_t wait_players; /* tick 0 waits for this number of ready players */
    uint64_t ticks_max;    /* the match ends after this tick count; 0: never */
    bool end_when_empty;   /* the match ends when its last client has left */
    bool is_on_request;    /* a client asked for it: the match also ends when no client comes */
    ls_room_policy policy;
    ls_desync_policy desync;
    bool players_may_pause;
    /* Keeps the states of the last ticks, to compare them with a diverged client's: for at most
     * LS_SERVER_EVIDENCE_MS_MAX (0: keeps none and asks no client), in evidence_bytes of memory. */
    uint32_t evidence_ms;
    size_t evidence_bytes;
    /* Opens a file for the evidence of a desync at `tick`; the room owns the sink and copies the
     * name. NULL: evidence is only logged.
     *   errors  any: it is not written */
    ls_status (*open_evidence)(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error);
    void *evidence_context;
    uint32_t lag_ticks_max; /* the match fails when the simulation lags by more */

    /* Resumes a match that was cut off: its files, and the recorder that continues the last of
     * them instead of a sink. The room owns both even when opening fails. Match, ticks and roots
     * come from the files; the room is RESTORING until they are simulated. `seats` come from
     * ls_room_seats(). */
    struct ls_series *history;
    struct ls_recorder *recorder;
    uint32_t epoch; /* of this opening: above any in the recording; 0 for a new match */
    const struct ls_seats_file *seats; /* NULL: no player can return */
    /* Called by the job, on its thread, before and after it simulates the recording: when the
     * process dies or hangs in between, the recording is the cause. May be NULL. */
    void (*note_restore)(const char *recording_name, bool is_under_way);
} ls_room_config;

/* One player to wait for, a sync every LS_RECORDER_SYNC_TICKS_DEFAULT ticks, ten seconds of lag,
 * one second of evidence. */
LS_API ls_room_config ls_room_config_default(void);

#ifdef __cplusplus
}
#endif

#endif
