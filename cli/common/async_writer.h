/* Writes lines to a file whose reader may be slow or stopped: a terminal that is held, a pipe that
 * no reader empties, a disk that does not answer. A separate thread writes, so no other thread ever
 * waits. Lines that do not fit into memory meanwhile are dropped and counted. */
#ifndef LS_ASYNC_WRITER_H
#define LS_ASYNC_WRITER_H

#include <lockstep/base.h>

/* The size of the buffer for new lines; a second one of this size holds those being written. */
#define LS_ASYNC_WRITER_BYTES (64u << 10)
/* Old files that are kept beside one that is rotated. */
#define LS_ASYNC_WRITER_OLD_FILES 5
/* The least limit for rotation: more than the thread writes at once. */
#define LS_ASYNC_WRITER_FILE_BYTES_MIN 100000
/* Longer lines are cut. */
#define LS_ASYNC_WRITER_LINE_BYTES 4096

typedef struct ls_async_writer ls_async_writer;

/* Starts the writer. The caller must first flush its own buffers for this file.
 *   errors  LS_ERROR_IO: no thread
 *   owns    ls_async_writer_close() by the caller; the file stays the caller's */
ls_status ls_async_writer_open(int file, ls_async_writer **writer, ls_error *error) LS_MUST_USE;
/* Writes the remaining lines, waiting at most half a second, and stops the writer. False: some
 * lines were never written although there was a reader. `is_left`: the thread is still writing, so
 * the file must stay open. NULL is allowed. */
bool ls_async_writer_close(ls_async_writer *writer, bool *is_left);

/* From the next line on, writes to the file of this name, which is created or appended to. If it
 * cannot be opened, lines still go to the old file, the first of them `log_not_reopened`. The text
 * outlives the writer. */
void ls_async_writer_reopen(ls_async_writer *writer, const char *path);

/* Rotates the file of this name, which must be the one that is open, before it would exceed
 * `bytes_max`: FILE becomes FILE.1, FILE.1 becomes FILE.2, and the last old file is replaced. The
 * writer's thread does it. If a file cannot be renamed or opened, lines still go to FILE, the first
 * of them `log_not_rotated`. While this happens, FILE is called FILE.0. Call it before the first
 * line, with at least LS_ASYNC_WRITER_FILE_BYTES_MIN or 0 for no limit. The text outlives the
 * writer. */
void ls_async_writer_rotate(ls_async_writer *writer, const char *path, uint64_t bytes_max);

/* The writer's own lines are JSON (cli/common/log_json.h). Call it before the first line. */
void ls_async_writer_use_json(ls_async_writer *writer);

/* Prints one or more whole lines; the format includes the newlines. A line `lines_dropped count=N`
 * takes the place of dropped lines, and of lines that the file did not take (a full disk).
 *   thread  any */
void ls_async_writer_print(ls_async_writer *writer, const char *format, ...) LS_PRINTF(2, 3);

/* How many lines were lost: the sum of all `lines_dropped`, with those that are not written yet.
 * NULL is allowed.
 *   thread  any */
uint64_t ls_async_writer_lost(const ls_async_writer *writer);

#endif
