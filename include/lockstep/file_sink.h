/* The sink of a server's recordings: one append-only file. It has no buffer of its own, so a killed
 * process loses no byte of a finished `append`. */
#ifndef LS_FILE_SINK_H
#define LS_FILE_SINK_H

#include <lockstep/sink.h>

/* Creates a file with a temporary name beside `path`. The first sync gives it its final name:
 * fsync, rename, fsync of the directory; later syncs are fdatasync. So a recording without its
 * header is never visible. An existing file is never replaced: the first sync then returns -EEXIST.
 * Closing before the first sync removes the file. Later syncs may run in parallel with appends.
 *   shape   `path` shorter than 4,096 bytes
 *   errors  IO with a message that names the path; no file is left
 *   owns    the sink's `close` frees everything
 *   thread  one at a time, except for later syncs */
LS_API ls_status ls_file_sink_create(const char *path, ls_sink *sink, ls_error *error) LS_MUST_USE;

/* Like ls_file_sink_create(), but the first append creates the file and reports errors: for a
 * caller that must not wait for the disk now. If the sink is closed before that, there is no file.
 *   errors  IO: the path is impossible */
LS_API ls_status ls_file_sink_prepare(const char *path, ls_sink *sink, ls_error *error) LS_MUST_USE;

/* Opens a recording to continue it, and reads it whole. Like a new file it is locked until
 * it is closed, so no two processes write to one recording.
 *   errors  NOT_FOUND, LIMIT (LS_RECORDING_FILE_BYTES_MAX), IO; REFUSED when another process (or
 *           another recorder of this one) has the lock. The file is unchanged
 *   owns    the sink's `close` frees everything
 *   thread  as ls_file_sink_create() */
LS_API ls_status ls_file_sink_open(const char *path, ls_sink_existing *existing,
                                   ls_error *error) LS_MUST_USE;

#endif
