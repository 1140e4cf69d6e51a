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

/* Whether a player who falls behind holds the others up. */
typedef enum ls_room_policy {
    LS_ROOM_PACE = 0, /* never: a tick closes when it is due */
    LS_ROOM_WAIT,     /* a tick waits for every player, for small matches among friends */
} ls_room_policy;

/* What happens to a client whose world differs. */
typedef enum ls_desync_policy {
    LS_DESYNC_REPORT = 0, /* it is told, and served on */
    LS_DESYNC_RESYNC,     /* it is told to load a snapshot, once in a match; the next time: KICK */
    LS_DESYNC_KICK,
} ls_desync_policy;

#define LS_ROOM_TICKS_AUTO           UINT32_MAX
#define LS_ROOM_COLUMN_TICKS_MIN     8
#define LS_ROOM_COLUMN_TICKS_DEFAULT 64
#define LS_ROOM_SIGN_TICKS_DEFAULT   300

/* Start from ls_room_config_default(). What opening copies is said; all else outlives the room. */
typedef struct ls_room_config {
    const char *name;      /* "" or NULL: none; under LS_ROOM_BYTES, copied */
    ls_match match;        /* copied; ls_program_match() gives a usual one */
    ls_executor *executor; /* NULL: serial. Shared by rooms only when their jobs take turns */

    /* Where the recording goes, or NULL for none; the room takes the sink over, even when it cannot
     * be opened. A sink that fails later ends the recording, not the match. */
    const ls_sink *sink;
    const char *recording_name; /* for messages; NULL: "recording" */
    /* A recording that fails goes on in a file of its own, NAME.N.lsr, which this opens, called by
     * a job: ls_file_sink_create(). NULL: it ends. */
    ls_status (*open_segment)(const char *name, ls_sink *sink, ls_error *error);
    uint32_t sync_ticks;     /* the recording is synced every so many ticks; 0: at its end only */
    uint32_t sign_ticks;     /* it is signed by the server's identity; 0: at its end only */
    uint32_t column_ticks;   /* it gets the hash of each column, at multiples; 0: never, else at
                                least LS_ROOM_COLUMN_TICKS_MIN */
    uint32_t keyframe_ticks; /* it gets a keyframe; 0: never, LS_ROOM_TICKS_AUTO: as often as the
                                budget of replays/keyframe.h allows, given what is measured */

    uint32_t wait_players; /* tick 0 waits until so many players are ready; 0: for nobody */
    uint64_t ticks_max;    /* the match ends after so many ticks; 0: never */
    bool end_when_empty;   /* the match ends when its last client has left */
    bool is_on_request;    /* made because a client named it: it ends, too, when nobody comes in */
    ls_room_policy policy;
    ls_desync_policy desync;
    bool players_may_pause;
    /* States of the last ticks are kept to compare with those of a client whose world differs: how
     * long, at most LS_SERVER_EVIDENCE_MS_MAX (0: not at all, and no client is asked), and in how
     * much memory. */
    uint32_t evidence_ms;
    size_t evidence_bytes;
    /* Opens a file of its own for what was found out about a desync of `tick`; the room takes the
     * sink over, and copies the name. NULL: it is only logged.   errors  any: it is not written */
    ls_status (*open_evidence)(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error);
    void *evidence_context;
    uint32_t lag_ticks_max; /* simulation so many ticks behind: the match cannot go on */

    /* Taking up a match that was cut off: its files, which the room closes, even when it cannot
     * be opened, and the recorder that goes on with the last (instead of a sink), likewise. The
     * match, its ticks and roots come from there; until all of it was simulated again the room is
     * RESTORING. `seats` are what ls_room_seats() gave then. */
    struct ls_series *history;
    struct ls_recorder *recorder;
    uint32_t epoch; /* of this opening: higher than any in the recording; 0 for a new match */
    const struct ls_seats_file *seats; /* NULL: nobody can come back */
    /* Told that its recording is being simulated again, and that it no longer is: by the job, on
     * its thread. What kills or hangs the process meanwhile is in the recording. May be NULL. */
    void (*note_restore)(const char *recording_name, bool is_under_way);
} ls_room_config;

/* One player to wait for, a sync each LS_RECORDER_SYNC_TICKS_DEFAULT ticks, ten seconds of lag, a
 * second of evidence. */
LS_API ls_room_config ls_room_config_default(void);

#ifdef __cplusplus
}
#endif

#endif
