/* cli/posix/posix.h under the names of glibc. */
#include_next <string.h>

#ifndef LS_POSIX_STRING_H
#define LS_POSIX_STRING_H

int ls_posix_compare_numbered(const char *a, const char *b);

#define strverscmp(a, b) ls_posix_compare_numbered(a, b)

#endif
