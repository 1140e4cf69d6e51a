/* Small files that belong to one user. They are read whole up to a size limit, and replaced
 * atomically: a reader sees the old or the new bytes. */
#ifndef LS_PRIVATE_FILE_H
#define LS_PRIVATE_FILE_H

#include <lockstep/base.h>

typedef struct ls_private_file {
    const char *path;
    size_t bytes_max;
    bool must_be_secret; /* refuse a file whose mode gives group or others any access */
} ls_private_file;

/* Reads the whole file and appends a zero.
 *   errors  LS_ERROR_NOT_FOUND: no such file; LS_ERROR_REFUSED: others have access though it must
 *           be secret, or it is not a regular file; LS_ERROR_CORRUPT: over bytes_max; LS_ERROR_IO
 *   owns    the caller frees *text with ls_free, after wiping if it is secret */
ls_status ls_private_file_read(const ls_private_file *file, char **text, size_t *bytes,
                               ls_error *error) LS_MUST_USE;

/* Writes and syncs a temporary file beside `path`, mode 0600, and moves it to `path`. When
 * `replace` is false and `path` exists, the file stays: LS_ERROR_REFUSED. */
typedef struct ls_private_file_content {
    const void *bytes;
    size_t count;
    bool replace;
} ls_private_file_content;
ls_status ls_private_file_write(const char *path, const ls_private_file_content *content,
                                ls_error *error) LS_MUST_USE;
/* Checks that ls_private_file_write would find the folder of `path` and may write there, for a path
 * that is written later.
 *   errors  LS_ERROR_IO */
ls_status ls_private_file_check(const char *path, ls_error *error) LS_MUST_USE;

#endif
