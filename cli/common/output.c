#include "cli/common/output.h"

#include <errno.h>
#include <string.h>

ls_status ls_output_open(const char *path, FILE **file, ls_error *error)
{
    *file = path ? fopen(path, "we") : stdout;
    return *file ? LS_OK
                 : ls_error_set(error, LS_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
}

ls_status ls_output_close(const char *path, FILE *file, ls_error *error)
{
    if (!path)
        return LS_OK;
    errno = 0;
    bool is_whole = fflush(file) == 0 && !ferror(file);
    int reason = errno;
    bool is_closed = fclose(file) == 0;
    if (is_whole && is_closed)
        return LS_OK;
    reason = is_whole ? errno : reason;
    return ls_error_set(error, LS_ERROR_IO, "%s is incomplete: %s", path,
                        reason ? strerror(reason) : "a write failed");
}

ls_status ls_output_write(const char *path, const ls_builder *text, ls_error *error)
{
    FILE *file;
    ls_status status = ls_output_open(path, &file, error);
    if (status)
        return status;
    fwrite(text->data, 1, text->count, file);
    return ls_output_close(path, file, error);
}
