/* cli/posix/posix.h under the names of POSIX. */
#ifndef LS_POSIX_SYS_STAT_H
#define LS_POSIX_SYS_STAT_H

#include "cli/posix/posix.h"

#include_next <sys/stat.h>

#define stat(path, facts) ls_posix_stat(path, facts)
#define mkdir(path, mode) ((void)(mode), ls_posix_mkdir(path))

#endif
