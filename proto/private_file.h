/* Small files that belong to one user: read whole under a bound, written so that a reader sees the
 * old or the new bytes. Private to proto/ and server/. */
#ifndef LS_PRIVATE_FILE_H
#define LS_PRIVATE_FILE_H

#include <lockstep/base.h>

typedef struct ls_private_file {
    const char *path;
    size_t bytes_max;
    bool must_be_secret; /* refuse a file that group or others can touch */
} ls_private_file;

/* Reads the whole file, followed by a zero.
 *   errors  LS_ERROR_NOT_FOUND: none there; LS_ERROR_REFUSED: mode, or no regular file;
 *           LS_ERROR_CORRUPT: over bytes_max; LS_ERROR_IO
 *   owns    *text is freed by the caller with ls_free, after wiping if it is secret */
ls_status ls_private_file_read(const ls_private_file *file, char **text, size_t *bytes,
                               ls_error *error) LS_MUST_USE;

/* Writes a file beside `path`, mode 0600, synced, and puts it in its place. With `replace` false an
 * existing file stays and the answer is LS_ERROR_REFUSED. */
typedef struct ls_private_file_content {
    const void *bytes;
    size_t count;
    bool replace;
} ls_private_file_content;
ls_status ls_private_file_write(const char *path, const ls_private_file_content *content,
                                ls_error *error) LS_MUST_USE;
/* Whether that would find its folder, and may write there: for a path that is written later.
 *   errors  LS_ERROR_IO */
ls_status ls_private_file_check(const char *path, ls_error *error) LS_MUST_USE;

#endif
