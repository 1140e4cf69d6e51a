/* The part of glibc's stdio_ext.h that the program uses. */
#ifndef LS_POSIX_STDIO_EXT_H
#define LS_POSIX_STDIO_EXT_H

#include <stdio.h>

/* The C library of Windows drops the buffer of a failed write itself. */
#define __fpurge(stream) clearerr(stream)

#endif
