#include "replays/file.h"

#include "core/base/descriptor_all.h"
#include "core/base/platform_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static ls_status check_kind(const char *path, int descriptor, size_t *bytes, ls_error *error)
{
    ls_descriptor_kind kind;
    uint64_t length;
    int result = ls_descriptor_examine(descriptor, &kind, &length);
    if (result != 0)
        return ls_error_set(error, LS_ERROR_IO, "%s: cannot open: %s", path, strerror(-result));
    if (kind != LS_DESCRIPTOR_REGULAR)
        return ls_error_set(error, LS_ERROR_IO, "%s: is %s: give a .lsr file", path,
                            kind == LS_DESCRIPTOR_FOLDER ? "a directory" : "not a regular file");
    if (length > LS_RECORDING_FILE_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: has %" PRIu64 " bytes, over the maximum of %zu", path, length,
                            LS_RECORDING_FILE_BYTES_MAX);
    *bytes = (size_t)length;
    return LS_OK;
}

ls_status ls_file_open(const char *path, bool can_write, int *descriptor, ls_error *error)
{
    size_t bytes;
    int result = *descriptor = ls_descriptor_open(path, can_write);
    if (result == -ENOENT || result == -ENOTDIR)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s: there is no such file", path);
    if (result < 0)
        return ls_error_set(error, LS_ERROR_IO, "%s: cannot open: %s", path, strerror(-result));
    ls_status status = check_kind(path, *descriptor, &bytes, error);
    if (status != LS_OK)
        (void)ls_descriptor_close(*descriptor);
    return status;
}

/* Reads instead of mapping: if a mapped file shrinks, or the disk fails, the process is killed. */
ls_status ls_file_read(const char *path, int descriptor, uint8_t **data, size_t *bytes,
                       ls_error *error)
{
    size_t done;
    *data = NULL;
    ls_status status = check_kind(path, descriptor, bytes, error);
    if (status != LS_OK)
        return status;
    uint8_t *read_into = ls_alloc(*bytes);
    int code = ls_descriptor_read_all(descriptor, read_into, *bytes, &done);
    if (code != 0) {
        ls_free(read_into);
        return ls_error_set(error, LS_ERROR_IO, "%s: cannot read at byte %zu: %s", path, done,
                            strerror(-code));
    }
    *data = read_into;
    *bytes = done;
    return LS_OK;
}
