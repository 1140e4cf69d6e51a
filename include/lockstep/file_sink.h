/* The sink that a server records into: one file, append only, without a buffer of our own, so that
 * a killed process loses no byte of a finished `append`. */
#ifndef LS_FILE_SINK_H
#define LS_FILE_SINK_H

#include <lockstep/sink.h>

/* Creates the file under a temporary name beside `path`. The first sync gives it its name: fsync,
 * rename, fsync of the directory; later ones are fdatasync. A recording without its header is never
 * visible. An existing file is never replaced: that sync answers -EEXIST. Closing before the first
 * sync removes the file. Later syncs may run beside appends.
 *   shape   `path` shorter than PATH_MAX
 *   errors  IO with a message that names the path; nothing is left behind
 *   owns    the sink's `close` frees all of it      thread  one at a time, but see above */
ls_status ls_file_sink_create(const char *path, ls_sink *sink, ls_error *error) LS_MUST_USE;

/* The same, but the first append creates the file and reports errors: for a caller that must not
 * wait for the disk here. Closed before that, it leaves no file.
 *   errors  IO: no possible path */
ls_status ls_file_sink_prepare(const char *path, ls_sink *sink, ls_error *error) LS_MUST_USE;

/* Opens a recording to continue it, and reads it whole. Like a created one it is locked (flock)
 * until it is closed, so that no two processes write one recording.
 *   errors  NOT_FOUND, LIMIT (LS_RECORDING_FILE_BYTES_MAX), IO; REFUSED when another process (or
 *           another recorder of this one) writes it. The file is unchanged
 *   owns    the sink's `close` frees all of it      thread  as above */
ls_status ls_file_sink_open(const char *path, ls_sink_existing *existing,
                            ls_error *error) LS_MUST_USE;

#endif
