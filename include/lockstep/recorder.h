/* Writes a recording while its match runs. Per tick: append, then broadcast; a killed process then
 * loses no tick that a client has seen. The simulation may run later: roots follow the frames. */
#ifndef LS_RECORDER_H
#define LS_RECORDER_H

#include <lockstep/recording.h>
#include <lockstep/sink.h>

struct ls_identity;
/* At most this many ticks are lost when the machine dies, if the server syncs that often. */
#define LS_RECORDER_SYNC_TICKS_DEFAULT 60

typedef struct ls_recorder ls_recorder;

typedef struct ls_recorder_config {
    ls_sink sink;     /* owned from now on, also after an error */
    const char *name; /* for messages */
    const ls_recording_header *header;
    /* The first record, full and of header->first_tick. NULL: the match begins here, at tick 0. */
    const ls_recording_keyframe *keyframe;
    const ls_recording_link *link; /* copied: the file before it in its match; or NULL */
    /* The server's, copied: the recording is signed when the key is the header's. NULL: not signed.
     */
    const struct ls_identity *identity;
} ls_recorder_config;

/* Begins a recording with a durable header, and keyframe, and its final name.
 *   errors  USAGE for a header outside its limits, LIMIT for a keyframe over LS_KEYFRAME_BYTES_MAX,
 *           IO with a message that names the file; none of that name is made, and `*recorder` is
 *           NULL
 *   owns    the caller destroys the recorder      thread  all calls: one at a time
 *   source  docs/replay-format.md */
ls_status ls_recorder_begin(const ls_recorder_config *config, ls_recorder **recorder,
                            ls_error *error) LS_MUST_USE;

/* The same for a match from its start, unsigned; and into the file at `path`, replacing none. */
ls_status ls_recorder_create_on(ls_sink sink, const char *name, const ls_recording_header *header,
                                ls_recorder **recorder, ls_error *error) LS_MUST_USE;
ls_status ls_recorder_create(const char *path, const ls_recording_header *header,
                             ls_recorder **recorder, ls_error *error) LS_MUST_USE;

/* Closes the file, without a closing record unless there is one, or a sync; NULL is allowed. */
void ls_recorder_destroy(ls_recorder *recorder);

/* Resumes a recording without a closing record: checks its valid prefix and its signatures, cuts
 * off an incomplete last record or zeros, syncs, and goes on in the same file and chain, unsigned
 * until ls_recorder_sign_with. The next tick is that after the last whole frame. `*found` says what
 * was found and what was cut (ignored_bytes); it has no roots.
 *   errors  NOT_FOUND, LIMIT, CORRUPT, INCOMPATIBLE as ls_recording_open and _next; CORRUPT also
 *           where bytes after the prefix were whole once, since clients have seen these ticks, or a
 *           signature is wrong. REFUSED when the match is over or another process records into it.
 *           The file is then unchanged. IO when the disk refuses; `*recorder` is NULL after any
 *   owns    as create */
ls_status ls_recorder_resume(const char *path, ls_recorder **recorder, ls_recording_end *found,
                             ls_error *error) LS_MUST_USE;

/* The same over any sink, which it takes over even when it fails. `name` is for messages. */
typedef struct ls_recorder_existing {
    ls_sink_existing existing;
    const char *name;
} ls_recorder_existing;
ls_status ls_recorder_resume_on(const ls_recorder_existing *config, ls_recorder **recorder,
                                ls_recording_end *found, ls_error *error) LS_MUST_USE;

/* Takes the root of tick ls_recorder_root_tick: of the world before it, or after the last frame.
 * Roots wait for the next frame; LS_RECORD_ROOTS_MAX of them are written as a record of their own.
 *   order   asserts that the tick before it was appended, and no closing record
 *   errors  IO as append */
ls_status ls_recorder_add_root(ls_recorder *recorder, uint64_t root, ls_error *error) LS_MUST_USE;

/* Appends the frame of the next tick, with the roots that wait, by one write.
 *   order   asserts that ticks come one after the other, and none after the closing record
 *   errors  USAGE when the frame is over LS_FRAME_BYTES_MAX or names a seat that the match does not
 *           have, so that no reader would take it; LIMIT when the roots of more than
 *           LS_RECORDING_LAG_TICKS_MAX ticks would be missing: nothing is written. IO when the sink
 *           gives an error: the recording has failed, for good. Every later call repeats that
 *           message and touches the file no more; what was written stays readable */
ls_status ls_recorder_append(ls_recorder *recorder, const ls_frame *frame,
                             ls_error *error) LS_MUST_USE;

/* Records that the match was resumed, with the next tick, under a new epoch.
 *   order   asserts that it is higher than ls_recorder_epoch
 *   errors  IO as append */
ls_status ls_recorder_begin_epoch(ls_recorder *recorder, uint32_t epoch, int64_t unix_s,
                                  ls_error *error) LS_MUST_USE;

/* Appends the world before a tick, packed elsewhere while the match went on: keyframe->tick is at
 * most the next tick. `offset` is not read.
 *   order   asserts that ticks ascend, and that its base is itself or the recorder's last full one
 *   errors  LIMIT over LS_KEYFRAME_BYTES_MAX: nothing is written. IO as append */
ls_status ls_recorder_append_keyframe(ls_recorder *recorder, const ls_recording_keyframe *keyframe,
                                      ls_error *error) LS_MUST_USE;
/* Appends the hash of each column of the world before `tick`, at most the next: ticks ascend, and
 * there are 1..LS_RECORD_COLUMNS_MAX hashes (asserted). */
ls_status ls_recorder_append_columns(ls_recorder *recorder, uint64_t tick, const uint64_t *hashes,
                                     uint32_t count, ls_error *error) LS_MUST_USE;
/* Appends the evidence of a desync, opaque bytes that other readers skip.
 *   errors  LIMIT over LS_EVIDENCE_BYTES_MAX: nothing is written. IO as append */
ls_status ls_recorder_append_evidence(ls_recorder *recorder, const uint8_t *data, size_t bytes,
                                      ls_error *error) LS_MUST_USE;
/* Lets a recorder that resumed sign all of it; false when the key is not the header's. */
bool ls_recorder_sign_with(ls_recorder *recorder, const struct ls_identity *identity) LS_MUST_USE;
/* Signs all that is written; without effect when nothing is new or there is no identity. Takes some
 * 30 us. */
ls_status ls_recorder_sign(ls_recorder *recorder, ls_error *error) LS_MUST_USE;

/* Makes every appended tick survive the machine's death; waits for the disk. A failed sync is never
 * tried again: the system may have dropped the pages. Asserts that no sync is under way.
 *   errors  IO as above */
ls_status ls_recorder_sync(ls_recorder *recorder, ls_error *error) LS_MUST_USE;

/* The same in three steps, so that the owner can append while another thread waits for the disk.
 * Ticks appended after `begin` are not promised. One ticket at a time. A ticket is always ended,
 * also when the recording failed meanwhile: until then the recorder must not be finished or
 * destroyed (asserted). */
typedef struct ls_recorder_ticket {
    ls_sink sink;
    uint64_t tick;
    int result;
    bool is_run;
} ls_recorder_ticket;
/* Owner's thread; after an error there is no ticket. */
ls_status ls_recorder_sync_begin(ls_recorder *recorder, ls_recorder_ticket *ticket,
                                 ls_error *error) LS_MUST_USE;
/* Any thread, once; it touches the ticket and the sink's `sync` alone. */
void ls_recorder_sync_run(ls_recorder_ticket *ticket);
/* Owner's thread, after run has returned. */
ls_status ls_recorder_sync_end(ls_recorder *recorder, const ls_recorder_ticket *ticket,
                               ls_error *error) LS_MUST_USE;

/* Appends the closing record with the roots that wait, signs, syncs and closes the file.
 *   order   asserts that all roots are there up to that after the last tick (only LS_CLOSING_FAILED
 *           and LS_CLOSING_CUT may lack some), and that no sync is under way
 *   errors  IO as above */
ls_status ls_recorder_finish(ls_recorder *recorder, ls_closing_reason reason,
                             ls_error *error) LS_MUST_USE;

/* Describes this file for the next one of the match. False when the header has no key. */
bool ls_recorder_get_link(const ls_recorder *recorder, ls_recording_link *link) LS_MUST_USE;

/* For metrics and decisions. */
uint64_t ls_recorder_tick(const ls_recorder *recorder);      /* the next to append */
uint64_t ls_recorder_root_tick(const ls_recorder *recorder); /* the tick of the next root */
uint32_t ls_recorder_epoch(const ls_recorder *recorder);     /* the header's until begin_epoch */
uint64_t ls_recorder_next_keyframe(const ls_recorder *recorder); /* the lowest tick for one */
uint64_t ls_recorder_bytes(const ls_recorder *recorder);
uint64_t ls_recorder_unsynced_ticks(const ls_recorder *recorder);
uint64_t ls_recorder_unsigned_ticks(const ls_recorder *recorder); /* 0 without an identity */

#endif
