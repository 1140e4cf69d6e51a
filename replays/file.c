#include "replays/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ls_status check_kind(const char *path, int descriptor, size_t *bytes, ls_error *error)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return ls_error_set(error, LS_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return ls_error_set(error, LS_ERROR_IO, "%s: is %s: give a .lsr file", path,
                            S_ISDIR(facts.st_mode) ? "a directory" : "not a regular file");
    if ((uint64_t)facts.st_size > LS_RECORDING_FILE_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: has %" PRIu64 " bytes, over the maximum of %zu", path,
                            (uint64_t)facts.st_size, LS_RECORDING_FILE_BYTES_MAX);
    *bytes = (size_t)facts.st_size;
    return LS_OK;
}

/* O_NONBLOCK, because opening a pipe would otherwise wait for its other end. */
ls_status ls_file_open(const char *path, int mode, int *descriptor, ls_error *error)
{
    size_t bytes;
    *descriptor = open(path, mode | O_CLOEXEC | O_NONBLOCK);
    if (*descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s: there is no such file", path);
    if (*descriptor < 0)
        return ls_error_set(error, LS_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    ls_status status = check_kind(path, *descriptor, &bytes, error);
    if (status != LS_OK)
        close(*descriptor);
    return status;
}

/* Reads instead of mapping: if a mapped file shrinks, or the disk fails, the process is killed. */
ls_status ls_file_read(const char *path, int descriptor, uint8_t **data, size_t *bytes,
                       ls_error *error)
{
    size_t done = 0;
    *data = NULL;
    ls_status status = check_kind(path, descriptor, bytes, error);
    if (status != LS_OK)
        return status;
    uint8_t *read_into = ls_alloc(*bytes);
    while (done < *bytes) {
        ssize_t count = read(descriptor, read_into + done, *bytes - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            status = ls_error_set(error, LS_ERROR_IO, "%s: cannot read at byte %zu: %s", path, done,
                                  strerror(errno));
            ls_free(read_into);
            return status;
        }
        if (count == 0)
            break;
        done += (size_t)count;
    }
    *data = read_into;
    *bytes = done;
    return LS_OK;
}
