/* Writes a recording while its match runs. On each tick append, then broadcast: if the process is
 * killed, no tick that a client has seen is lost. Roots may follow their frames, since the
 * simulation may run later. */
#ifndef LS_RECORDER_H
#define LS_RECORDER_H

#include <lockstep/recording.h>
#include <lockstep/sink.h>
struct ls_identity;
/* Default distance of syncs: at most this many ticks are lost when the machine dies. */
#define LS_RECORDER_SYNC_TICKS_DEFAULT 60

typedef struct ls_recorder ls_recorder;

typedef struct ls_recorder_config {
    ls_sink sink;     /* the recorder owns it, also after an error */
    const char *name; /* for error messages */
    const ls_recording_header *header;
    /* The first record: a full keyframe of header->first_tick. NULL: a match begins at tick 0. */
    const ls_recording_keyframe *keyframe;
    const ls_recording_link *link; /* copied: describes the previous file of the match; or NULL */
    /* Copied; signs the recording if the header has its key. NULL: no signatures. */
    const struct ls_identity *identity;
} ls_recorder_config;

/* Begins a recording: its header, keyframe and final name are durable afterwards.
 *   errors  USAGE: the header exceeds a limit; LIMIT: the keyframe exceeds LS_KEYFRAME_BYTES_MAX;
 *           IO names the file. No file of that name is left, and `*recorder` is NULL
 *   owns    the caller destroys the recorder
 *   thread  all calls: one at a time */
LS_API ls_status ls_recorder_begin(const ls_recorder_config *config, ls_recorder **recorder,
                                   ls_error *error) LS_MUST_USE;
/* Begin an unsigned recording at tick 0: on a sink, or in a new file at `path`.
 *   errors  as ls_recorder_begin() */
LS_API ls_status ls_recorder_create_on(ls_sink sink, const char *name,
                                       const ls_recording_header *header, ls_recorder **recorder,
                                       ls_error *error) LS_MUST_USE;
LS_API ls_status ls_recorder_create(const char *path, const ls_recording_header *header,
                                    ls_recorder **recorder, ls_error *error) LS_MUST_USE;

/* Closes the file; writes no closing record and does not sync. NULL is allowed. */
LS_API void ls_recorder_destroy(ls_recorder *recorder);

/* Resumes a recording without a closing record: checks its valid prefix and signatures, cuts off an
 * incomplete last record or zeros, syncs, and continues the same file and checksum chain. It is
 * unsigned until ls_recorder_sign_with(). The next tick follows the last whole frame. `*found`,
 * without roots, describes the old file, with the cut bytes in ignored_bytes.
 *   errors  NOT_FOUND, LIMIT, CORRUPT, INCOMPATIBLE as ls_recording_open() and _next(); CORRUPT
 *           also for a wrong signature, or whole records after the prefix: clients have seen those
 *           ticks. REFUSED: the match is over or another process writes the file. The file is then
 *           unchanged. IO: the disk failed. `*recorder` is NULL after any error
 *   owns    as ls_recorder_begin() */
LS_API ls_status ls_recorder_resume(const char *path, ls_recorder **recorder,
                                    ls_recording_end *found, ls_error *error) LS_MUST_USE;
typedef struct ls_recorder_existing {
    ls_sink_existing existing;
    const char *name;
} ls_recorder_existing;
/* ls_recorder_resume() on any sink; the recorder owns the sink even after an error.
 *   errors  as ls_recorder_resume() */
LS_API ls_status ls_recorder_resume_on(const ls_recorder_existing *config, ls_recorder **recorder,
                                       ls_recording_end *found, ls_error *error) LS_MUST_USE;

/* Adds the root of tick ls_recorder_root_tick(): the hash of the world before that tick. Roots wait
 * for the next frame; LS_RECORD_ROOTS_MAX of them become a record of their own.
 *   order   asserts that the tick before it was appended, and no closing record
 *   errors  IO as ls_recorder_append() */
LS_API ls_status ls_recorder_add_root(ls_recorder *recorder, uint64_t root,
                                      ls_error *error) LS_MUST_USE;

/* Appends the frame of the next tick and the waiting roots, in one write.
 *   order   asserts that ticks are consecutive, and no closing record
 *   errors  Nothing is written after USAGE: the frame is over LS_FRAME_BYTES_MAX or names a seat
 *           that the match lacks; or LIMIT: more than LS_RECORDING_LAG_TICKS_MAX roots would be
 *           missing. IO: the sink failed, and the recording with it, for good. Every later call
 *           returns the same message and leaves the file alone, which stays readable */
LS_API ls_status ls_recorder_append(ls_recorder *recorder, const ls_frame *frame,
                                    ls_error *error) LS_MUST_USE;
/* Records that the match was resumed at the next tick, under a new epoch.
 *   errors  IO as ls_recorder_append(); asserts that `epoch` is above ls_recorder_epoch() */
LS_API ls_status ls_recorder_begin_epoch(ls_recorder *recorder, uint32_t epoch, int64_t unix_s,
                                         ls_error *error) LS_MUST_USE;
/* Appends a keyframe, which another thread may have packed while the match continued:
 * keyframe->tick is at most the next tick. `offset` is ignored.
 *   order   asserts that ticks ascend, and that its base is itself or the last full keyframe
 *   errors  LIMIT over LS_KEYFRAME_BYTES_MAX: nothing is written. IO as ls_recorder_append() */
LS_API ls_status ls_recorder_append_keyframe(ls_recorder *recorder,
                                             const ls_recording_keyframe *keyframe,
                                             ls_error *error) LS_MUST_USE;
/* Appends the column hashes of the world before `tick`, at most the next tick. Asserts that ticks
 * ascend, and 1..LS_RECORD_COLUMNS_MAX hashes.
 *   errors  IO as ls_recorder_append() */
LS_API ls_status ls_recorder_append_columns(ls_recorder *recorder, uint64_t tick,
                                            const uint64_t *hashes, uint32_t count,
                                            ls_error *error) LS_MUST_USE;
/* Appends the evidence of a desync: opaque bytes that readers without interest skip.
 *   errors  LIMIT over LS_EVIDENCE_BYTES_MAX: nothing is written. IO as ls_recorder_append() */
LS_API ls_status ls_recorder_append_evidence(ls_recorder *recorder, const uint8_t *data,
                                             size_t bytes, ls_error *error) LS_MUST_USE;
/* Lets a resumed recorder sign the whole file; false when the key is not the header's. */
LS_API bool ls_recorder_sign_with(ls_recorder *recorder,
                                  const struct ls_identity *identity) LS_MUST_USE;
/* Signs all bytes written so far, in about 30 us. Does nothing without new bytes or an identity.
 *   errors  IO as ls_recorder_append() */
LS_API ls_status ls_recorder_sign(ls_recorder *recorder, ls_error *error) LS_MUST_USE;

/* Makes every appended tick durable; waits for the disk. A failed sync is never repeated: the
 * system may have dropped the pages. Asserts that no sync is under way.
 *   errors  IO as ls_recorder_append() */
LS_API ls_status ls_recorder_sync(ls_recorder *recorder, ls_error *error) LS_MUST_USE;
/* Like ls_recorder_sync(), in three steps: the owner can append while another thread waits for the
 * disk. Ticks appended after `begin` may not be synced. One ticket at a time. Every ticket must be
 * ended, even if the recording failed: until then the recorder must not be finished or destroyed
 * (asserted). */
typedef struct ls_recorder_ticket {
    ls_sink sink;
    uint64_t tick;
    int result;
    bool is_run;
} ls_recorder_ticket;
/* On the owner's thread.
 *   errors  IO: the recording failed before; there is then no ticket */
LS_API ls_status ls_recorder_sync_begin(ls_recorder *recorder, ls_recorder_ticket *ticket,
                                        ls_error *error) LS_MUST_USE;
/* On any thread, once; it uses only the ticket and the sink's `sync`. */
LS_API void ls_recorder_sync_run(ls_recorder_ticket *ticket);
/* On the owner's thread, after ls_recorder_sync_run() has returned.
 *   errors  IO as ls_recorder_append(), also of an append since `begin` */
LS_API ls_status ls_recorder_sync_end(ls_recorder *recorder, const ls_recorder_ticket *ticket,
                                      ls_error *error) LS_MUST_USE;

/* Appends the closing record and the waiting roots, signs, syncs and closes the file.
 *   order   asserts all roots up to that after the last tick (only LS_CLOSING_FAILED and
 *           LS_CLOSING_CUT may lack some), and no sync under way
 *   errors  IO as ls_recorder_append() */
LS_API ls_status ls_recorder_finish(ls_recorder *recorder, ls_closing_reason reason,
                                    ls_error *error) LS_MUST_USE;

/* Describes this file for the next file of the match. False when the header has no key. */
LS_API bool ls_recorder_get_link(const ls_recorder *recorder, ls_recording_link *link) LS_MUST_USE;
/* For metrics and decisions. */
LS_API uint64_t ls_recorder_tick(const ls_recorder *recorder);      /* the next tick to append */
LS_API uint64_t ls_recorder_root_tick(const ls_recorder *recorder); /* the tick of the next root */
LS_API uint32_t ls_recorder_epoch(const ls_recorder *recorder);     /* rises with begin_epoch */
LS_API uint64_t ls_recorder_next_keyframe(const ls_recorder *recorder); /* lowest allowed tick */
LS_API uint64_t ls_recorder_bytes(const ls_recorder *recorder);
LS_API uint64_t ls_recorder_unsynced_ticks(const ls_recorder *recorder);
LS_API uint64_t ls_recorder_unsigned_ticks(const ls_recorder *recorder); /* 0 without an identity */

#endif
