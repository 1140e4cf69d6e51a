/* Paths of the user's own files: ~/.config/lockstep/NAME, or the same below XDG_CONFIG_HOME. */
#ifndef LS_USER_FILE_H
#define LS_USER_FILE_H

#include "core/base/platform_file.h"

/* Gives the path of such a file, and creates its folders (mode 0700).
 *   errors  NOT_FOUND: neither XDG_CONFIG_HOME nor HOME is set; IO names the folder */
ls_status ls_user_file(const char *name, char path[LS_PATH_BYTES_MAX], ls_error *error) LS_MUST_USE;

/* Creates a folder and the missing ones above it.
 *   errors  IO, with the folder that cannot be created or the file in its place */
ls_status ls_make_folders(const char *path, unsigned mode, ls_error *error) LS_MUST_USE;

#endif
