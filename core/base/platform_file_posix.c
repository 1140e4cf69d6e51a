/* The part of core/base/platform_file.h that POSIX has; also for WebAssembly with WASI. */
#include "core/base/platform_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK, because opening a pipe would otherwise wait for its other end. */
int ls_descriptor_open(const char *path, bool can_write)
{
    int descriptor = open(path, (can_write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

static int create(const char *path, mode_t mode)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return descriptor < 0 ? -errno : descriptor;
}

int ls_descriptor_create(const char *path)
{
    return create(path, 0644);
}

int ls_descriptor_create_private(const char *path)
{
    return create(path, 0600);
}

int ls_descriptor_close(int descriptor)
{
    return close(descriptor) == 0 ? 0 : -errno;
}

int ls_descriptor_examine(int descriptor, ls_descriptor_kind *kind, uint64_t *bytes)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return -errno;
    *kind = S_ISREG(facts.st_mode)   ? LS_DESCRIPTOR_REGULAR
            : S_ISDIR(facts.st_mode) ? LS_DESCRIPTOR_FOLDER
                                     : LS_DESCRIPTOR_OTHER;
    *bytes = (uint64_t)facts.st_size;
    return 0;
}

int64_t ls_descriptor_read(int descriptor, void *data, size_t count)
{
    ssize_t done = read(descriptor, data, count);
    return done < 0 ? -errno : done;
}

int64_t ls_descriptor_write(int descriptor, const void *data, size_t count)
{
    ssize_t done = write(descriptor, data, count);
    return done < 0 ? -errno : done;
}

int ls_descriptor_truncate(int descriptor, uint64_t bytes)
{
    while (ftruncate(descriptor, (off_t)bytes) != 0) {
        if (errno != EINTR)
            return -errno;
    }
    return lseek(descriptor, (off_t)bytes, SEEK_SET) < 0 ? -errno : 0;
}

/* An interrupted sync has reported no error, so it may be repeated. */
int ls_descriptor_sync(int descriptor, bool has_facts)
{
    while ((has_facts ? fsync(descriptor) : fdatasync(descriptor)) != 0) {
        if (errno != EINTR)
            return -errno;
    }
    return 0;
}

int ls_path_rename(const char *from, const char *to)
{
    return rename(from, to) == 0 ? 0 : -errno;
}

int ls_path_remove(const char *path)
{
    return unlink(path) == 0 ? 0 : -errno;
}

size_t ls_path_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + (slash == path) : 0;
}

const char *ls_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int ls_path_sync_folder(const char *path)
{
    char folder[LS_PATH_BYTES_MAX];
    size_t length = ls_path_folder_length(path);
    if (length >= sizeof folder)
        return -ENAMETOOLONG;
    snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    /* EINVAL: this file system cannot sync folders, so there is no guarantee. */
    int result = fsync(descriptor) == 0 || errno == EINVAL ? 0 : -errno;
    close(descriptor);
    return result;
}

bool ls_path_is_same(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool ls_code_is_full(int code)
{
    return code == ENOSPC || code == EDQUOT;
}
