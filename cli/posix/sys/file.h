/* cli/posix/posix.h under the names of BSD. */
#ifndef LS_POSIX_SYS_FILE_H
#define LS_POSIX_SYS_FILE_H

#include "cli/posix/posix.h"

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4

#define flock(file, operation) ls_posix_lock(file, operation)

#endif
