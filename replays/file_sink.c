#include <lockstep/file_sink.h>

#include "core/base/platform_file.h"
#include "replays/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SUFFIX_BYTES_MAX = 32, TEMPORARY_NAMES_MAX = 100 };

typedef struct file_sink {
    int descriptor; /* -1: the first append creates the file */
    bool published; /* has its final name; set before syncs run in parallel with appends */
    uint8_t *data;  /* existing bytes of a file opened to be continued */
    char path[LS_PATH_BYTES_MAX];
    char temporary[LS_PATH_BYTES_MAX + SUFFIX_BYTES_MAX];
} file_sink;

/* Creates a file with an unused temporary name; returns its descriptor or -errno. A number follows
 * the process id, because in a container the id is always 1 and a crash may have left such a file.
 */
static int create_temporary(file_sink *file)
{
    int descriptor = -EEXIST;
    for (int i = 0; i < TEMPORARY_NAMES_MAX && descriptor == -EEXIST; i++) {
        snprintf(file->temporary, sizeof file->temporary, "%s.%" PRIu64 "-%d.tmp", file->path,
                 ls_process_id(), i);
        descriptor = ls_descriptor_create(file->temporary);
    }
    return descriptor;
}

/* Creates the temporary file. Returns 0 or -errno. */
static int make_file(file_sink *file)
{
    int descriptor = create_temporary(file);
    if (descriptor < 0)
        return descriptor;
    file->descriptor = descriptor;
    /* The file is new, so no other process can have locked it. The result is ignored: on a file
     * system without locks recording still works, and only resuming needs a lock. */
    int unlocked = ls_descriptor_lock(descriptor);
    (void)unlocked;
    return 0;
}

static int64_t append(void *context, const void *data, size_t bytes)
{
    file_sink *file = context;
    int result = file->descriptor < 0 ? make_file(file) : 0;
    return result != 0 ? result : ls_descriptor_write(file->descriptor, data, bytes);
}

/* Gives the file its final name; include/lockstep/file_sink.h explains order and reasons. */
static int publish(file_sink *file)
{
    int result = ls_descriptor_sync(file->descriptor, true);
    if (result == 0)
        result = ls_path_rename_new(file->temporary, file->path);
    if (result != 0)
        return result;
    result = ls_path_sync_folder(file->path);
    if (result != 0) {
        (void)ls_path_remove(file->path); /* our own file: it replaced none */
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
    return file->published ? ls_descriptor_sync(file->descriptor, false) : publish(file);
}

static int close_file(void *context)
{
    file_sink *file = context;
    bool is_made = file->descriptor >= 0;
    if (is_made && !file->published)
        (void)ls_path_remove(file->temporary);
    int result = is_made ? ls_descriptor_close(file->descriptor) : 0;
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
    int result = ls_descriptor_truncate(file->descriptor, bytes);
    if (result == 0)
        result = ls_descriptor_sync(file->descriptor, true);
    return result == 0 ? ls_path_sync_folder(file->path) : result;
}

ls_status ls_file_sink_prepare(const char *path, ls_sink *sink, ls_error *error)
{
    size_t length = strlen(path);
    if (length == 0 || length >= LS_PATH_BYTES_MAX)
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
    size_t folder_length = ls_path_folder_length(path);
    (void)close_file(sink->context);
    return ls_error_set(
        error, LS_ERROR_IO,
        "cannot record into folder %.*s: %s; it must be one that this user can write (the file "
        "is to be %s)",
        folder_length ? (int)folder_length : 1, folder_length ? path : ".", strerror(-result),
        path);
}

static ls_status lock(const char *path, int descriptor, ls_error *error)
{
    int result = ls_descriptor_lock(descriptor);
    if (result == 0)
        return LS_OK;
    if (result == -EAGAIN)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s: another process records into it: stop that process first", path);
    return ls_error_set(error, LS_ERROR_IO, "%s: cannot lock: %s", path, strerror(-result));
}

ls_status ls_file_sink_open(const char *path, ls_sink_existing *existing, ls_error *error)
{
    int descriptor;
    uint8_t *data = NULL;
    size_t bytes = 0;
    ls_status status = ls_file_open(path, true, &descriptor, error);
    if (status != LS_OK)
        return status;
    status = lock(path, descriptor, error);
    if (status == LS_OK)
        status = ls_file_read(path, descriptor, &data, &bytes, error);
    if (status != LS_OK) {
        (void)ls_descriptor_close(descriptor);
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
