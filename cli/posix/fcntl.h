/* cli/posix/posix.h under the names of POSIX. */
#ifndef LS_POSIX_FCNTL_H
#define LS_POSIX_FCNTL_H

#include "cli/posix/posix.h"

#include_next <fcntl.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC   O_NOINHERIT
#define O_NONBLOCK  0
#define O_DIRECTORY 0
#endif

#define open(...) ls_posix_open(__VA_ARGS__)

#endif
