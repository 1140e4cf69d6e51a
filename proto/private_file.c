#include "proto/private_file.h"

#include "core/base/descriptor_all.h"
#include "core/base/platform_file.h"
#include <lockstep/entropy.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static ls_status fail(ls_error *error, const char *what, const char *path, int code)
{
    return ls_error_set(error, LS_ERROR_IO, "cannot %s %s: %s", what, path, strerror(-code));
}

/* Checks the open file, and sets `bytes` to its length. */
static ls_status check(const ls_private_file *file, int descriptor, uint64_t *bytes,
                       ls_error *error)
{
    ls_descriptor_kind kind;
    uint32_t mode;
    int code = ls_descriptor_examine(descriptor, &kind, bytes);
    if (code == 0)
        code = ls_descriptor_get_mode(descriptor, &mode);
    if (code != 0)
        return fail(error, "read", file->path, code);
    if (kind != LS_DESCRIPTOR_REGULAR)
        return ls_error_set(error, LS_ERROR_REFUSED, "%s is not a regular file", file->path);
    if (file->must_be_secret && (mode & 077))
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s holds a secret but has mode %04" PRIo32 "; run: chmod 600 %s",
                            file->path, mode, file->path);
    if (*bytes > file->bytes_max)
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s is longer than %zu bytes", file->path,
                            file->bytes_max);
    return LS_OK;
}

ls_status ls_private_file_read(const ls_private_file *file, char **text, size_t *bytes,
                               ls_error *error)
{
    int descriptor = ls_descriptor_open(file->path, false);
    if (descriptor < 0) {
        ls_status status = fail(error, "read", file->path, descriptor);
        return descriptor == -ENOENT ? LS_ERROR_NOT_FOUND : status;
    }
    uint64_t length;
    ls_status status = check(file, descriptor, &length, error);
    if (status == LS_OK) {
        char *memory = ls_alloc((size_t)length + 1);
        int code = ls_descriptor_read_all(descriptor, memory, (size_t)length, bytes);
        if (code == 0) {
            *text = memory;
        } else {
            status = fail(error, "read", file->path, code);
            ls_wipe(memory, *bytes);
            ls_free(memory);
        }
    }
    (void)ls_descriptor_close(descriptor);
    return status;
}

/* Creates a file of a random name beside `path` and returns its descriptor; negative after
 * LS_ERROR_IO. */
static int create_beside(const char *path, char temporary[LS_PATH_BYTES_MAX], ls_error *error)
{
    enum { TRIES = 100 };
    int descriptor = -EEXIST;
    for (uint32_t i = 0; i < TRIES && descriptor == -EEXIST; i++) {
        uint8_t name[3];
        ls_entropy_fill(NULL, name, sizeof name);
        int length = snprintf(temporary, LS_PATH_BYTES_MAX, "%s.%02x%02x%02x", path, name[0],
                              name[1], name[2]);
        if (length < 0 || length >= LS_PATH_BYTES_MAX) {
            (void)ls_error_set(error, LS_ERROR_IO, "the path %s is too long", path);
            return -ENAMETOOLONG;
        }
        descriptor = ls_descriptor_create_private(temporary);
    }
    if (descriptor == -ENOENT)
        (void)ls_error_set(error, LS_ERROR_IO, "%s: its folder does not exist; make it first",
                           path);
    else if (descriptor < 0)
        (void)fail(error, "create a file beside", path, descriptor);
    return descriptor;
}

ls_status ls_private_file_check(const char *path, ls_error *error)
{
    char temporary[LS_PATH_BYTES_MAX];
    int descriptor = create_beside(path, temporary, error);
    if (descriptor < 0)
        return LS_ERROR_IO;
    (void)ls_descriptor_close(descriptor);
    (void)ls_path_remove(temporary);
    return LS_OK;
}

ls_status ls_private_file_write(const char *path, const ls_private_file_content *content,
                                ls_error *error)
{
    char temporary[LS_PATH_BYTES_MAX];
    int descriptor = create_beside(path, temporary, error);
    if (descriptor < 0)
        return LS_ERROR_IO;
    int code = ls_descriptor_write_all(descriptor, content->bytes, content->count);
    if (code == 0)
        code = ls_descriptor_sync(descriptor, true);
    (void)ls_descriptor_close(descriptor);
    if (code == 0)
        code = content->replace ? ls_path_rename(temporary, path)
                                : ls_path_rename_new(temporary, path);
    if (code == 0) {
        /* Only this makes the new name survive a power cut. Not every folder can be synced, so a
         * failure is ignored. */
        (void)!ls_path_sync_folder(path);
        return LS_OK;
    }
    (void)ls_path_remove(temporary);
    if (code == -EEXIST && !content->replace)
        return ls_error_set(error, LS_ERROR_REFUSED, "%s exists and is not overwritten", path);
    return fail(error, "write", path, code);
}
