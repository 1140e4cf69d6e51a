#include <lockstep/file_sink.h>

#include "replays/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX_BYTES_MAX = 32, TEMPORARY_NAMES_MAX = 100 };

typedef struct file_sink {
    int descriptor; /* -1: the first append creates the file */
    bool published; /* has its final name; set before syncs run in parallel with appends */
    uint8_t *data;  /* existing bytes of a file opened to be continued */
    char path[PATH_MAX];
    char temporary[PATH_MAX + SUFFIX_BYTES_MAX];
} file_sink;

/* Opens an unused temporary name. A number follows the process id, because in a container the id is
 * always 1 and a crash may have left such a file. */
static int open_temporary(file_sink *file)
{
    for (int i = 0; i < TEMPORARY_NAMES_MAX; i++) {
        snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%d.tmp", file->path,
                 (long)getpid(), i);
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Creates the temporary file. Returns 0 or -errno. */
static int make_file(file_sink *file)
{
    file->descriptor = open_temporary(file);
    if (file->descriptor < 0)
        return -errno;
    /* The file is new, so no other process can have locked it. The result is ignored: on a file
     * system without locks recording still works, and only resuming needs a lock. */
    (void)flock(file->descriptor, LOCK_EX | LOCK_NB);
    return 0;
}

static int64_t append(void *context, const void *data, size_t bytes)
{
    file_sink *file = context;
    int result = file->descriptor < 0 ? make_file(file) : 0;
    if (result != 0)
        return result;
    ssize_t written = write(file->descriptor, data, bytes);
    return written < 0 ? -errno : written;
}

/* Gives the file its name without replacing another file. File systems that cannot do this
 * atomically (NFS) get a check first. It does not guard against a second server that creates the
 * name at the same moment. */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    struct stat existing;
    if (lstat(to, &existing) == 0)
        return -EEXIST;
    return rename(from, to) == 0 ? 0 : -errno;
}

/* A power loss could otherwise lose the name, although the bytes are on disk. */
static int sync_directory_of(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(directory, sizeof directory, ".");
    else if (slash == path)
        snprintf(directory, sizeof directory, "/");
    else
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - path), path);
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    /* EINVAL: this file system cannot sync directories, so there is no guarantee. */
    int result = fsync(descriptor) == 0 || errno == EINVAL ? 0 : -errno;
    close(descriptor);
    return result;
}

/* Gives the file its final name; the header explains order and reasons. */
static int publish(file_sink *file)
{
    while (fsync(file->descriptor) != 0) {
        if (errno != EINTR)
            return -errno;
    }
    int result = rename_new(file->temporary, file->path);
    if (result != 0)
        return result;
    result = sync_directory_of(file->path);
    if (result != 0) {
        unlink(file->path); /* our own file: it replaced none */
        return result;
    }
    file->published = true;
    return 0;
}

/* Uses only members that are constant once the file has its name, because appends may run in
 * parallel. */
static int sync_data(void *context)
{
    file_sink *file = context;
    if (!file->published)
        return publish(file);
    /* An interrupted sync has reported no error, so it may be repeated. */
    while (fdatasync(file->descriptor) != 0) {
        if (errno != EINTR)
            return -errno;
    }
    return 0;
}

static int close_file(void *context)
{
    file_sink *file = context;
    bool is_made = file->descriptor >= 0;
    if (is_made && !file->published)
        unlink(file->temporary);
    int result = !is_made || close(file->descriptor) == 0 ? 0 : -errno;
    ls_free(file->data);
    ls_free(file);
    return result;
}

/* Also syncs the directory, because the writer may have died before it did. */
static int truncate_file(void *context, uint64_t bytes)
{
    file_sink *file = context;
    ls_free(file->data);
    file->data = NULL;
    while (ftruncate(file->descriptor, (off_t)bytes) != 0) {
        if (errno != EINTR)
            return -errno;
    }
    if (lseek(file->descriptor, (off_t)bytes, SEEK_SET) < 0)
        return -errno;
    while (fsync(file->descriptor) != 0) {
        if (errno != EINTR)
            return -errno;
    }
    return sync_directory_of(file->path);
}

ls_status ls_file_sink_prepare(const char *path, ls_sink *sink, ls_error *error)
{
    size_t length = strlen(path);
    if (length == 0 || length >= PATH_MAX)
        return ls_error_set(error, LS_ERROR_IO,
                            "%.64s: cannot record there: the path is empty or too long", path);
    file_sink *file = ls_alloc(sizeof *file);
    memcpy(file->path, path, length + 1);
    file->descriptor = -1;
    *sink = (ls_sink){file, append, sync_data, close_file};
    return LS_OK;
}

ls_status ls_file_sink_create(const char *path, ls_sink *sink, ls_error *error)
{
    ls_status status = ls_file_sink_prepare(path, sink, error);
    int result = status == LS_OK ? make_file(sink->context) : 0;
    if (result == 0)
        return status;
    const char *slash = strrchr(path, '/');
    (void)close_file(sink->context);
    return ls_error_set(
        error, LS_ERROR_IO,
        "cannot record into folder %.*s: %s; it must be one that this user can write (the file "
        "is to be %s)",
        slash ? (int)(slash - path + (slash == path)) : 1, slash ? path : ".", strerror(-result),
        path);
}

static ls_status lock(const char *path, int descriptor, ls_error *error)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return LS_OK;
    if (errno == EWOULDBLOCK)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s: another process records into it: stop that process first", path);
    return ls_error_set(error, LS_ERROR_IO, "%s: cannot lock: %s", path, strerror(errno));
}

ls_status ls_file_sink_open(const char *path, ls_sink_existing *existing, ls_error *error)
{
    int descriptor;
    uint8_t *data = NULL;
    size_t bytes = 0;
    ls_status status = ls_file_open(path, O_RDWR, &descriptor, error);
    if (status != LS_OK)
        return status;
    status = lock(path, descriptor, error);
    if (status == LS_OK)
        status = ls_file_read(path, descriptor, &data, &bytes, error);
    if (status != LS_OK) {
        close(descriptor);
        return status;
    }
    /* The path fits, because the system has opened it. */
    file_sink *file = ls_alloc(sizeof *file);
    file->descriptor = descriptor;
    file->published = true;
    file->data = data;
    strncpy(file->path, path, sizeof file->path - 1);
    *existing = (ls_sink_existing){.sink = {file, append, sync_data, close_file},
                                   .data = data,
                                   .bytes = bytes,
                                   .truncate = truncate_file};
    return LS_OK;
}
