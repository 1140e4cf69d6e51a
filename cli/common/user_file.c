#include "cli/common/user_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
    char part[PATH_MAX];
    size_t count = strlen(path);
    if (count == 0 || count >= sizeof part)
        return ls_error_set(error, LS_ERROR_IO, "folder '%.64s': empty or too long", path);
    memcpy(part, path, count + 1);
    for (size_t i = 1; i < count; i++) {
        if (part[i] != '/')
            continue;
        part[i] = 0;
        ls_status status = make_folder(part, mode, error);
        if (status)
            return status;
        part[i] = '/';
    }
    return make_folder(part, mode, error);
}

ls_status ls_user_file(const char *name, char path[PATH_MAX], ls_error *error)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *below = "";
    if (!base || base[0] != '/') { /* the XDG standard says to ignore a relative path */
        base = getenv("HOME");
        below = "/.config";
    }
    if (!base || base[0] != '/')
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "HOME is not set");
    int count = snprintf(path, PATH_MAX, "%s%s/lockstep", base, below);
    if (count < 0 || (size_t)count + strlen(name) + 2 > PATH_MAX)
        return ls_error_set(error, LS_ERROR_IO, "HOME is too long");
    ls_status status = ls_make_folders(path, 0700, error);
    if (status)
        return status;
    path[count] = '/';
    strcpy(path + count + 1, name);
    return LS_OK;
}
