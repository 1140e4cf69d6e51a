/* The folder of the user's own files. user_folder.c, user_folder_windows.c. */
#ifndef LS_USER_FOLDER_H
#define LS_USER_FOLDER_H

#include "core/base/platform_file.h"

/* Gives the folder: XDG_CONFIG_HOME/lockstep or ~/.config/lockstep; on Windows APPDATA/lockstep. It
 * may be missing.
 *   errors  NOT_FOUND: the environment names no such folder; IO: its name is too long */
ls_status ls_user_folder(char path[LS_PATH_BYTES_MAX], ls_error *error) LS_MUST_USE;

#endif
