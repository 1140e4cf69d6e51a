/* A room's recording: frames before their broadcast, roots once they are known, and keyframes that
 * a job packs. Another job waits for the disk. When a file fails, the match continues, and a next
 * file records it from a keyframe on (server/next_file.h). */
#ifndef LS_ROOM_RECORDING_H
#define LS_ROOM_RECORDING_H

#include "core/base/histogram.h"
#include "server/event_log.h"
#include "server/keyframes.h"
#include "server/next_file.h"
#include "server/room_host.h"
#include "server/room_match.h"
#include <lockstep/recorder.h>
#include <lockstep/recording_series.h>

typedef enum ls_room_recording_phase {
    LS_ROOM_RECORDING_OFF = 0, /* the match has no recording */
    LS_ROOM_RECORDING_OPENING, /* a job creates the file; nothing may be recorded yet */
    LS_ROOM_RECORDING_RUNNING,
    LS_ROOM_RECORDING_FAILED,  /* nothing is recorded until a next file continues */
    LS_ROOM_RECORDING_CLOSING, /* a job writes the closing record and owns the recorder */
    LS_ROOM_RECORDING_CLOSED,  /* also when the match had no recording */
} ls_room_recording_phase;

typedef struct ls_room_recording_size {
    uint64_t bytes, unsynced_ticks;
} ls_room_recording_size;

/* A moment up to which the current file is signed and durable. */
typedef struct ls_recording_checkpoint {
    uint64_t number; /* counts from 1 */
    uint64_t tick;   /* the file has every tick before this one */
    uint64_t bytes;  /* of the file, up to and with the signature */
} ls_recording_checkpoint;

/* The parts of the room that the recording uses; they outlive it. */
typedef struct ls_room_recording_config {
    const ls_room_host *host;
    ls_room_match *match;
    ls_event_log *log;
    uint8_t *flag;    /* raised when a job ends */
    const char *room; /* name of the room */
    uint32_t epoch, sync_ticks, sign_ticks, keyframe_ticks, keyframe_s_max;
    ls_status (*open_segment)(const char *name, ls_sink *sink, ls_error *error);
} ls_room_recording_config;

typedef struct ls_room_recording {
    ls_job job; /* syncs, opens or closes the file */
    ls_room_recording_config config;
    ls_room_recording_phase phase;
    bool has_end;        /* the match has ended: close as soon as no job works on the file */
    bool is_released;    /* another process continues the file: no closing record */
    bool release_failed; /* the file could not be released: the recording goes on here */
    bool had_failed;     /* a file is incomplete */
    bool is_unsigned;    /* the headers have the key of another identity */
    ls_recorder *recorder;
    ls_recorder_ticket ticket;                       /* state of the running sync */
    uint64_t sync_ns;                                /* time that the last sync took */
    ls_histogram syncs;                              /* times of the syncs that have ended */
    uint64_t checkpoints_wanted, checkpoints_failed; /* the highest numbers */
    ls_recording_checkpoint begun, durable;          /* the last begun one, the last durable one */
    ls_keyframes keyframes;
    ls_next_file next_file;
    uint32_t segments;           /* files after the first */
    uint64_t failures;           /* files that could not be written any more */
    uint64_t earlier_bytes;      /* of the files before the current one, minus the bytes that this
                                    process found when it resumed the first of them */
    uint64_t salt;               /* salt of the first file's header: identifies the match */
    ls_room_recording_size size; /* set when closing begins and when it has ended */
    /* The opening or closing job's input and output. */
    ls_recorder_config opening;
    ls_recording_header header;
    ls_recorder *opened;
    ls_closing_reason reason;
    bool is_whole; /* valid from CLOSING on: the last file has every tick */
    ls_room_recording_size closed_size;
    ls_status status;
    ls_error error;
} ls_room_recording;

void ls_room_recording_init(ls_room_recording *recording, const ls_room_recording_config *config);
/* Fills in a header with a new salt for a recording of this match. */
void ls_room_recording_header(const ls_room_recording *recording, ls_recording_header *header);
/* Begins the first file, in `sink`. With `in_job` a job does so, and ls_room_recording_has_opened()
 * gives the result.
 *   errors  LS_ERROR_IO */
ls_status ls_room_recording_begin(ls_room_recording *recording, const ls_sink *sink,
                                  const char *name, bool in_job, ls_error *error) LS_MUST_USE;
/* True once, when the opening job has ended; recording->status is its result. */
bool ls_room_recording_has_opened(ls_room_recording *recording) LS_MUST_USE;
/* Continues the last file of `series` with its recorder; NULL: nothing more is recorded. */
void ls_room_recording_resume(ls_room_recording *recording, const ls_series *series,
                              const char *name, ls_recorder *recorder);
/* Called when the match is restored: records the roots that the file lacks and begins the epoch. */
void ls_room_recording_resumed(ls_room_recording *recording);

void ls_room_recording_add_frame(ls_room_recording *recording, const ls_frame *frame);
void ls_room_recording_add_root(ls_room_recording *recording, uint64_t root);
/* Takes further results of the driver's job: column hashes, a snapshot for a keyframe. */
void ls_room_recording_add_world(ls_room_recording *recording);

/* Whether the driver's next job should make a snapshot for a keyframe. */
bool ls_room_recording_wants_keyframe(const ls_room_recording *recording);
/* The tick at which the driver's next job must stop, because the file after a failed one begins
 * there: so one of the two files has every tick. UINT64_MAX: no limit. */
uint64_t ls_room_recording_tick_limit(const ls_room_recording *recording);

/* Signs the file when sign_ticks are unsigned, and begins to sync it when sync_ticks are unsynced.
 */
void ls_room_recording_sync(ls_room_recording *recording);
/* Signs and begins to sync what is recorded, as soon as no job works on the file. Returns the
 * number of the checkpoint: it is reached when `durable` has this number or a higher one, and never
 * if `checkpoints_failed` has.
 *   order   the phase is RUNNING */
uint64_t ls_room_recording_checkpoint(ls_room_recording *recording) LS_MUST_USE;
/* Returns the name of the current file; NULL: the recording has no name.
 *   owns    ls_free() by the caller */
char *ls_room_recording_name(const ls_room_recording *recording) LS_MUST_USE;
/* Takes the results of finished jobs. */
void ls_room_recording_collect(ls_room_recording *recording);
/* Closes the recording once its running jobs have ended. Nothing more is recorded. */
void ls_room_recording_finish(ls_room_recording *recording, ls_closing_reason reason);
/* Closes the recording as ls_room_recording_finish() does, but signs the file and writes no closing
 * record, because another process continues it. If the file cannot be signed or synced, the
 * recording has FAILED as after any failed write, and a next file may follow. */
void ls_room_recording_release(ls_room_recording *recording);
/* Waits for the jobs and closes the file without a closing record. */
void ls_room_recording_close(ls_room_recording *recording);

/* The size of the current file. The unsynced ticks are all that are not on the disk: after a
 * failure also those that no file has. */
ls_room_recording_size ls_room_recording_get_size(const ls_room_recording *recording);
/* The bytes that this process has written to all files of the match. */
uint64_t ls_room_recording_written_bytes(const ls_room_recording *recording);

#endif
