#include "cli/common/user_folder.h"
#include "core/base/platform_file.h"

#include <stdio.h>
#include <stdlib.h>

ls_status ls_user_folder(char path[LS_PATH_BYTES_MAX], ls_error *error)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *below = "";
    if (!base || base[0] != '/') { /* the XDG standard says to ignore a relative path */
        base = getenv("HOME");
        below = "/.config";
    }
    if (!base || base[0] != '/')
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "HOME is not set");
    int count = snprintf(path, LS_PATH_BYTES_MAX, "%s%s/lockstep", base, below);
    return count >= 0 && count < LS_PATH_BYTES_MAX
               ? LS_OK
               : ls_error_set(error, LS_ERROR_IO, "HOME is too long");
}
