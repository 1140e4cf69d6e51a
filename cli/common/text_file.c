#include "cli/common/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BYTES_FIRST ((size_t)64 << 10)

/* Reads up to one byte more than `bytes_max`, which shows that the file is too long. Returns 0 or
 * an errno. */
static int read_all(FILE *file, size_t bytes_max, char **text, size_t *count)
{
    size_t capacity = BYTES_FIRST, got;
    *count = 0;
    *text = ls_alloc(capacity + 1);
    while (*count <= bytes_max && (got = fread(*text + *count, 1, capacity - *count, file)) > 0) {
        *count += got;
        if (*count == capacity) {
            capacity *= 2;
            *text = ls_realloc(*text, capacity + 1);
        }
    }
    (*text)[*count] = 0;
    return ferror(file) ? errno : 0;
}

ls_status ls_text_file_read_bytes(const char *path, size_t bytes_max, char **text, size_t *count,
                                  ls_error *error)
{
    FILE *file = fopen(path, "re");
    *text = NULL;
    if (!file)
        return ls_error_set(error, errno == ENOENT ? LS_ERROR_NOT_FOUND : LS_ERROR_IO,
                            "cannot read %s: %s", path, strerror(errno));
    int reason = read_all(file, bytes_max, text, count);
    fclose(file);
    if (!reason && *count <= bytes_max)
        return LS_OK;
    ls_free(*text);
    *text = NULL;
    if (reason)
        return ls_error_set(error, LS_ERROR_IO, "cannot read %s: %s", path, strerror(reason));
    return ls_error_set(error, LS_ERROR_LIMIT, "%s is longer than %zu bytes", path, bytes_max);
}

ls_status ls_text_file_read(const char *path, size_t bytes_max, char **text, ls_error *error)
{
    size_t count;
    return ls_text_file_read_bytes(path, bytes_max, text, &count, error);
}
