/* Lines on their way to a file whose reader may be slow, or stand still: a terminal that is held, a
 * pipe that no reader empties, a disk that does not answer. A thread of its own writes them, so no
 * other thread ever waits; what does not fit into memory meanwhile is left out and counted. */
#ifndef LS_ASYNC_WRITER_H
#define LS_ASYNC_WRITER_H

#include <lockstep/base.h>

/* So much is kept, and as much again is being written. */
#define LS_ASYNC_WRITER_BYTES (64u << 10)
/* A longer line is cut. */
#define LS_ASYNC_WRITER_LINE_BYTES 4096

typedef struct ls_async_writer ls_async_writer;

/* The caller has flushed the buffers of what it wrote to the file before.
 *   errors  LS_ERROR_IO: no thread
 *   owns    ls_async_writer_close() by the caller; the file stays the caller's */
ls_status ls_async_writer_open(int file, ls_async_writer **writer, ls_error *error) LS_MUST_USE;
/* Writes what is left, if that takes no longer than half a second. False: something could not be
 * written, then or before, though there was a reader. `is_left`: a thread still writes, to a file
 * that must stay open. NULL is allowed. */
bool ls_async_writer_close(ls_async_writer *writer, bool *is_left);

/* Lines that follow go to the file that has this name then; it is appended to, and made when it is
 * absent. When it cannot be opened they go on to the old one, the first of them
 * `log_not_reopened`. The text outlives the writer. */
void ls_async_writer_reopen(ls_async_writer *writer, const char *path);

/* Whole lines, with their ends. In place of lines that were left out, or that the file did not take
 * (a disk that was full), the next that finds room is `lines_dropped count=N`, behind the end of a
 * line of which only a part was taken.   thread  any */
void ls_async_writer_print(ls_async_writer *writer, const char *format, ...) LS_PRINTF(2, 3);

#endif
