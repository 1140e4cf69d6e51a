#include "cli/common/user_file.h"

#include "cli/common/user_folder.h"
#include "core/base/platform_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static ls_status make_folder(const char *path, unsigned mode, ls_error *error)
{
    struct stat folder;
    if (mkdir(path, mode) == 0 || (stat(path, &folder) == 0 && S_ISDIR(folder.st_mode)))
        return LS_OK;
    /* mkdir() failed with EEXIST for something that is no folder; stat() left errno as it was. */
    return ls_error_set(error, LS_ERROR_IO, "folder %s: %s", path,
                        errno == EEXIST ? "a file of that name exists" : strerror(errno));
}

ls_status ls_make_folders(const char *path, unsigned mode, ls_error *error)
{
    char above[LS_PATH_BYTES_MAX];
    struct stat found;
    size_t count = strlen(path), folder = ls_path_folder_length(path);
    if (count == 0 || count >= sizeof above)
        return ls_error_set(error, LS_ERROR_IO, "folder '%.64s': empty or too long", path);
    if (folder > 0 && folder < count && stat(path, &found) != 0) {
        snprintf(above, sizeof above, "%.*s", (int)folder, path);
        ls_status status = ls_make_folders(above, mode, error);
        if (status)
            return status;
    }
    return make_folder(path, mode, error);
}

ls_status ls_user_file(const char *name, char path[LS_PATH_BYTES_MAX], ls_error *error)
{
    ls_status status = ls_user_folder(path, error);
    if (!status)
        status = ls_make_folders(path, 0700, error);
    size_t count = status ? 0 : strlen(path);
    if (!status && count + strlen(name) + 2 > LS_PATH_BYTES_MAX)
        status = ls_error_set(error, LS_ERROR_IO, "the name of the user's folder is too long");
    if (!status)
        snprintf(path + count, LS_PATH_BYTES_MAX - count, "/%s", name);
    return status;
}
