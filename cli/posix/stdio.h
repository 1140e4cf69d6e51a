/* cli/posix/posix.h under the names of C. */
#include_next <stdio.h>

#ifndef LS_POSIX_STDIO_H
#define LS_POSIX_STDIO_H

FILE *ls_posix_fopen(const char *path, const char *mode);
int ls_posix_rename(const char *from, const char *to);

#define fopen(path, mode) ls_posix_fopen(path, mode)
#define rename(from, to)  ls_posix_rename(from, to)

#endif
