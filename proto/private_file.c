#include "proto/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ls_status check(const ls_private_file *file, const struct stat *info, ls_error *error)
{
    if (!S_ISREG(info->st_mode))
        return ls_error_set(error, LS_ERROR_REFUSED, "%s is not a regular file", file->path);
    if (file->must_be_secret && (info->st_mode & 077))
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s holds a secret but has mode %04o; run: chmod 600 %s", file->path,
                            (unsigned)info->st_mode & 07777, file->path);
    if (info->st_size < 0 || (uint64_t)info->st_size > file->bytes_max)
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s is longer than %zu bytes", file->path,
                            file->bytes_max);
    return LS_OK;
}

/* Returns the number of bytes read, at most `count`; negative on an error. */
static ssize_t read_all(int descriptor, char *text, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t step = read(descriptor, text + done, count - done);
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0)
            return step;
        if (step == 0)
            break;
        done += (size_t)step;
    }
    return (ssize_t)done;
}

ls_status ls_private_file_read(const ls_private_file *file, char **text, size_t *bytes,
                               ls_error *error)
{
    /* Without O_NONBLOCK, opening a named pipe at this path would block for ever. */
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return ls_error_set(error, errno == ENOENT ? LS_ERROR_NOT_FOUND : LS_ERROR_IO,
                            "cannot read %s: %s", file->path, strerror(errno));
    char *memory = NULL;
    struct stat info;
    ls_status status;
    if (fstat(descriptor, &info) != 0) {
        status =
            ls_error_set(error, LS_ERROR_IO, "cannot read %s: %s", file->path, strerror(errno));
        goto close_file;
    }
    status = check(file, &info, error);
    if (status != LS_OK)
        goto close_file;
    memory = ls_alloc((size_t)info.st_size + 1);
    ssize_t count = read_all(descriptor, memory, (size_t)info.st_size);
    if (count < 0) {
        status =
            ls_error_set(error, LS_ERROR_IO, "cannot read %s: %s", file->path, strerror(errno));
        ls_free(memory);
        goto close_file;
    }
    *text = memory;
    *bytes = (size_t)count;
close_file:
    close(descriptor);
    return status;
}

static bool write_all(int descriptor, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t step = write(descriptor, bytes, count);
        if (step < 0 && errno == EINTR)
            continue;
        if (step <= 0)
            return false;
        bytes += step;
        count -= (size_t)step;
    }
    return fsync(descriptor) == 0;
}

/* Syncs the folder of `path`: only then does the new name survive a power cut. Failure is ignored,
 * as not every folder can be synced. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t count = slash ? (size_t)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", count ? (int)count : 1,
             count ? path : (slash ? "/" : "."));
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

/* rename replaces an existing file, link refuses one; both are atomic. */
static bool put_in_place(const char *temporary, const char *path, bool replace)
{
    if (replace)
        return rename(temporary, path) == 0;
    return link(temporary, path) == 0;
}

/* Creates a temporary file beside `path`, mode 0600, and returns its descriptor; negative after
 * LS_ERROR_IO. */
static int create_beside(const char *path, char temporary[PATH_MAX], ls_error *error)
{
    int length = snprintf(temporary, PATH_MAX, "%s.XXXXXX", path);
    if (length < 0 || length >= PATH_MAX) {
        (void)ls_error_set(error, LS_ERROR_IO, "the path %s is too long", path);
        return -1;
    }
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0)
        (void)ls_error_set(error, LS_ERROR_IO, "cannot create a file beside %s: %s", path,
                           strerror(errno));
    return descriptor;
}

ls_status ls_private_file_check(const char *path, ls_error *error)
{
    char temporary[PATH_MAX];
    int descriptor = create_beside(path, temporary, error);
    if (descriptor < 0)
        return LS_ERROR_IO;
    unlink(temporary);
    close(descriptor);
    return LS_OK;
}

ls_status ls_private_file_write(const char *path, const ls_private_file_content *content,
                                ls_error *error)
{
    char temporary[PATH_MAX];
    int descriptor = create_beside(path, temporary, error);
    if (descriptor < 0)
        return LS_ERROR_IO;
    ls_status status = LS_OK;
    bool is_written = write_all(descriptor, content->bytes, content->count);
    if (!is_written || !put_in_place(temporary, path, content->replace))
        status =
            is_written && errno == EEXIST
                ? ls_error_set(error, LS_ERROR_REFUSED, "%s exists and is not overwritten", path)
                : ls_error_set(error, LS_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    if (status != LS_OK || !content->replace)
        unlink(temporary);
    close(descriptor);
    if (status == LS_OK)
        sync_folder(path);
    return status;
}
