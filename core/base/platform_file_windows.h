/* Paths and errors of Windows, for the sources that call it. */
#ifndef LS_PLATFORM_FILE_WINDOWS_H
#define LS_PLATFORM_FILE_WINDOWS_H

#include "core/base/platform_file.h"

#include <wchar.h>

enum { LS_PATH_PREFIX_UNITS = 8 };
typedef struct ls_wide_path {
    wchar_t units[LS_PATH_BYTES_MAX + LS_PATH_PREFIX_UNITS];
} ls_wide_path;

/* Converts a path from UTF-8, with the prefix that Windows wants for a long one. Returns 0 or
 * -errno: -EILSEQ when it is not UTF-8. */
int ls_path_widen(const char *path, ls_wide_path *wide) LS_MUST_USE;
/* The error of the last call of Windows as -errno. */
int ls_windows_error(void);
/* The HANDLE of a descriptor. */
void *ls_windows_handle(int descriptor);
/* How many of `count` bytes to read or write with one call of Windows, which counts in 32 bits. */
uint32_t ls_windows_part(size_t count);

#endif
