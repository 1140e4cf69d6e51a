/* Reads a file that a user names and that holds no secret: any readable file, also a pipe. */
#ifndef LS_TEXT_FILE_H
#define LS_TEXT_FILE_H

#include <lockstep/base.h>

/* Reads the whole file and adds a terminating zero. Waits for the writer of a pipe.
 *   errors  NOT_FOUND; LIMIT: over `bytes_max`; IO. All name the file; *text is then NULL
 *   owns    *text is freed by the caller with ls_free */
ls_status ls_text_file_read(const char *path, size_t bytes_max, char **text,
                            ls_error *error) LS_MUST_USE;

/* Like ls_text_file_read(), and gives the number of bytes: the file may contain zeros. */
ls_status ls_text_file_read_bytes(const char *path, size_t bytes_max, char **text, size_t *count,
                                  ls_error *error) LS_MUST_USE;

#endif
