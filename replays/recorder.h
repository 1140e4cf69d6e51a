/* Writes a recording while its match runs. Per tick: append, then broadcast, then simulate; so a
 * killed process loses no tick that anybody was shown. */
#ifndef LS_RECORDER_H
#define LS_RECORDER_H

#include "replays/record.h"
#include "replays/sink.h"

/* At most so many ticks are lost when the machine dies, if the server syncs as often. */
#define LS_RECORDER_SYNC_TICKS_DEFAULT 60

typedef struct ls_recorder ls_recorder;

/* Creates the file at `path`, never replacing one, with a durable header and its final name.
 *   errors  USAGE for a header outside its limits, IO with a message that names the path; no file
 *           of that name is made, and `*recorder` is NULL
 *   owns    the caller destroys the recorder      thread  all calls: one at a time
 *   source  docs/replay-format.md */
ls_status ls_recorder_create(const char *path, const ls_recording_header *header,
                             ls_recorder **recorder, ls_error *error) LS_MUST_USE;

/* The same into any sink, which it takes over even when it fails. `name` is for messages. */
ls_status ls_recorder_create_on(ls_sink sink, const char *name, const ls_recording_header *header,
                                ls_recorder **recorder, ls_error *error) LS_MUST_USE;

/* Closes the file without a closing record unless there is one; NULL is allowed. Does not sync. */
void ls_recorder_destroy(ls_recorder *recorder);

/* Appends the frame of the next tick and the root of the world before it, by one write.
 *   order   asserts that ticks come one after the other, and none after the closing record
 *   errors  USAGE when the frame is over LS_FRAME_BYTES_MAX or names a seat that the match does not
 *           have, so that no reader would take it: nothing is written. IO when the sink gives
 *           an error: the recording has failed, for good. Every later call repeats that message
 *           and touches the file no more; what was written stays readable */
ls_status ls_recorder_append(ls_recorder *recorder, const ls_frame *frame, uint64_t root,
                             ls_error *error) LS_MUST_USE;

/* Makes every appended tick survive the machine's death; waits for the disk. A failed sync is never
 * tried again: the system may have dropped the pages and would then report success.
 *   errors  IO as above */
ls_status ls_recorder_sync(ls_recorder *recorder, ls_error *error) LS_MUST_USE;

/* Appends the closing record with the root after the last tick, syncs and closes the file.
 *   errors  IO as above */
ls_status ls_recorder_finish(ls_recorder *recorder, uint64_t root, ls_closing_reason reason,
                             ls_error *error) LS_MUST_USE;

/* For metrics and for the decision when to sync. */
uint64_t ls_recorder_tick(const ls_recorder *recorder); /* the next to append */
uint64_t ls_recorder_bytes(const ls_recorder *recorder);
uint64_t ls_recorder_unsynced_ticks(const ls_recorder *recorder);
bool ls_recorder_has_failed(const ls_recorder *recorder);

#endif
