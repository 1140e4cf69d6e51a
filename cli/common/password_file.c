#include "cli/common/password_file.h"

#include "proto/private_file.h"
#include <lockstep/entropy.h>

#include <string.h>

/* The first line with its end, and whatever an editor added after it. */
#define FILE_BYTES_MAX 4096

ls_status ls_password_file_read(const char *path, char text[LS_PASSWORD_BYTES], ls_error *error)
{
    ls_private_file file = {.path = path, .bytes_max = FILE_BYTES_MAX, .must_be_secret = true};
    char *all;
    size_t bytes;
    memset(text, 0, LS_PASSWORD_BYTES);
    ls_status status = ls_private_file_read(&file, &all, &bytes, error);
    if (status == LS_ERROR_NOT_FOUND)
        ls_error_set(error, status,
                     "%.900s; make it: a text file whose first line is the password, chmod 600",
                     error->text);
    if (status)
        return status;
    size_t length = strcspn(all, "\r\n");
    if (length == 0)
        status = ls_error_set(error, LS_ERROR_USAGE,
                              "%s: the first line is the password, and it is empty", path);
    else if (length >= LS_PASSWORD_BYTES)
        status = ls_error_set(error, LS_ERROR_LIMIT, "%s: a password has at most %d bytes", path,
                              LS_PASSWORD_BYTES - 1);
    else
        memcpy(text, all, length);
    ls_wipe(all, bytes);
    ls_free(all);
    return status;
}
