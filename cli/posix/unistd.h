/* cli/posix/posix.h under the names of POSIX. */
#ifndef LS_POSIX_UNISTD_H
#define LS_POSIX_UNISTD_H

#include "cli/posix/posix.h"

#include_next <unistd.h>

#define access(path, mode)             ls_posix_access(path, mode)
#define unlink(path)                   ls_posix_unlink(path)
#define read(file, bytes, count)       ls_posix_read(file, bytes, count)
#define write(file, bytes, count)      ls_posix_write(file, bytes, count)
#define pread(file, bytes, count, at)  ls_posix_read_at(file, bytes, count, at)
#define pwrite(file, bytes, count, at) ls_posix_write_at(file, bytes, count, at)
#define dup3(from, to, flags)          ls_posix_replace(from, to)

#endif
