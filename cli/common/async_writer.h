/* Writes lines to a file whose reader may be slow or stopped: a terminal that is held, a pipe that
 * no reader empties, a disk that does not answer. A separate thread writes, so no other thread ever
 * waits. Lines that do not fit into memory meanwhile are dropped and counted. */
#ifndef LS_ASYNC_WRITER_H
#define LS_ASYNC_WRITER_H

#include <lockstep/base.h>

/* So much is kept, and as much again is being written. */
#define LS_ASYNC_WRITER_BYTES (64u << 10)
/* A longer line is cut. */
#define LS_ASYNC_WRITER_LINE_BYTES 4096

typedef struct ls_async_writer ls_async_writer;

/* Starts the writer. The caller has flushed its own buffers for this file before.
 *   errors  LS_ERROR_IO: no thread
 *   owns    ls_async_writer_close() by the caller; the file stays the caller's */
ls_status ls_async_writer_open(int file, ls_async_writer **writer, ls_error *error) LS_MUST_USE;
/* Writes the remaining lines, if that takes at most half a second. False: something could not be
 * written, now or before, although there was a reader. `is_left`: a thread is still writing, so the
 * file must stay open. NULL is allowed. */
bool ls_async_writer_close(ls_async_writer *writer, bool *is_left);

/* Writes later lines to the file that has this name then; the file is appended to, and created when
 * it is missing. If it cannot be opened, lines still go to the old file, the first of them
 * `log_not_reopened`. The text outlives the writer. */
void ls_async_writer_reopen(ls_async_writer *writer, const char *path);

/* Prints whole lines, with their ends. Dropped lines, and lines that the file did not take (a full
 * disk), are replaced by `lines_dropped count=N` in the next free place, on a line of its own.
 *   thread  any */
void ls_async_writer_print(ls_async_writer *writer, const char *format, ...) LS_PRINTF(2, 3);

#endif
