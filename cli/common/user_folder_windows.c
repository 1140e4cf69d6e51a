#include "cli/common/user_folder.h"
#include "core/base/platform_file.h"

#include <string.h>
#include <windows.h>

/* Asks for the variable in UTF-16: getenv() has it in a code page that lacks letters. */
ls_status ls_user_folder(char path[LS_PATH_BYTES_MAX], ls_error *error)
{
    static const char below[] = "/lockstep";
    wchar_t wide[LS_PATH_BYTES_MAX];
    DWORD units = GetEnvironmentVariableW(L"APPDATA", wide, LS_PATH_BYTES_MAX);
    if (units == 0)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "APPDATA is not set");
    int bytes = units < LS_PATH_BYTES_MAX
                    ? WideCharToMultiByte(CP_UTF8, 0, wide, -1, path,
                                          (int)(LS_PATH_BYTES_MAX - sizeof below), NULL, NULL)
                    : 0;
    if (bytes == 0)
        return ls_error_set(error, LS_ERROR_IO, "APPDATA is too long");
    strcat(path, below);
    return LS_OK;
}
