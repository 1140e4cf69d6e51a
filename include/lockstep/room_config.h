/* The configuration of a room (ls_server_open_room). */
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

/* How to treat a client with a world that differs from the server's. */
typedef enum ls_desync_policy {
    LS_DESYNC_REPORT = 0, /* inform the client, which continues */
    LS_DESYNC_RESYNC,     /* make it load a snapshot, once in a match; the next time KICK */
    LS_DESYNC_KICK,
} ls_desync_policy;

#define LS_ROOM_TICKS_AUTO           UINT32_MAX
#define LS_ROOM_COLUMN_TICKS_MIN     8
#define LS_ROOM_COLUMN_TICKS_DEFAULT 64
#define LS_ROOM_SIGN_TICKS_DEFAULT   300

/* Start from ls_room_config_default(). Opening a room copies the members marked `copied`; all other
 * pointers must outlive the room. */
typedef struct ls_room_config {
    const char *name; /* "" or NULL: no name; shorter than LS_ROOM_BYTES, copied */
    ls_match match;   /* copied; ls_program_match() makes a default */
    /* NULL: serial. Rooms may share an executor only if their jobs run one at a time. */
    ls_executor *executor;

    /* The recording's file, owned by the room even if opening fails; NULL: no recording. A later
     * write error ends the recording, not the match. */
    const ls_sink *sink;
    const char *recording_name; /* for log messages; NULL: "recording" */
    /* A job calls this to open the next file, NAME.N.lsr, after a write error.
     * ls_file_sink_create() fits. NULL: the recording ends at a write error. */
    ls_status (*open_segment)(const char *name, ls_sink *sink, ls_error *error);
    uint32_t sync_ticks;     /* ticks between syncs; 0: sync only at the end */
    uint32_t sign_ticks;     /* ticks between signatures; 0: sign only at the end */
    uint32_t column_ticks;   /* ticks between column hashes; 0: none, else LS_ROOM_COLUMN_TICKS_MIN
                                or more */
    uint32_t keyframe_ticks; /* ticks between keyframes; 0: none; LS_ROOM_TICKS_AUTO: by measured
                                cost and the budget of replays/keyframe.h */
    uint32_t keyframe_s_max; /* with LS_ROOM_TICKS_AUTO: the maximum of seconds between keyframes,
                                at any cost; 0: no such limit */

    uint32_t wait_players; /* ready players that tick 0 waits for */
    uint64_t ticks_max;    /* ticks after which the match ends; 0: no limit */
    bool end_when_empty;   /* end the match when its last client has left */
    bool is_on_request;    /* opened for a client: the match also ends if no client comes */
    uint32_t unused_s;     /* the time for a client to come; 0: LS_SERVER_UNUSED_NS */
    bool require_token;    /* admits only clients with a connect token */
    ls_room_policy policy;
    ls_desync_policy desync;
    bool players_may_pause;
    /* A player that loses its session stays in the match for this long, at most
     * LS_SERVER_KEEP_SEATS_S_MAX: substitutes take the place of its states, and when it returns in
     * time there is neither LEAVE nor JOIN. 0: it leaves at once. */
    uint32_t keep_seats_s;
    /* The room keeps the states of the last ticks, to compare them with those of a diverged client:
     * for evidence_ms (at most LS_SERVER_EVIDENCE_MS_MAX) in evidence_bytes of memory. 0 ms: it
     * keeps none, and sends no inquiry to clients. */
    uint32_t evidence_ms;
    size_t evidence_bytes;
    /* Opens a file for the evidence of a desync at `tick`; the room owns the sink and copies the
     * name. NULL: evidence is only logged.
     *   errors  any error: the evidence is not written */
    ls_status (*open_evidence)(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error);
    void *evidence_context;
    uint32_t lag_ticks_max; /* the match fails when the simulation lags by more ticks */

    /* To resume an interrupted match: its files, and the recorder that continues the last file
     * instead of a sink. The room owns both even if opening fails. Match, ticks and roots come from
     * the files; the room is RESTORING until they are simulated. `seats` come from
     * ls_room_seats(). */
    struct ls_series *series;
    struct ls_recorder *recorder;
    uint32_t epoch; /* number of this opening, above all in the recording; new: 0 */
    const struct ls_seats_file *seats; /* NULL: no player can return */
    /* Called on the job's thread before and after it simulates the recording. If the process dies
     * or hangs in between, the recording is the cause. May be NULL. */
    void (*note_restore)(const char *recording_name, bool is_under_way);
} ls_room_config;

/* Waits for one player, syncs every LS_RECORDER_SYNC_TICKS_DEFAULT ticks, allows ten seconds of lag
 * and keeps one second of evidence. */
LS_API ls_room_config ls_room_config_default(void);

#ifdef __cplusplus
}
#endif

#endif
