/* The part of sys/mman.h that the program uses: a file without a name. */
#ifndef LS_POSIX_SYS_MMAN_H
#define LS_POSIX_SYS_MMAN_H

#include "cli/posix/posix.h"

#define MFD_CLOEXEC               0
#define memfd_create(name, flags) ls_posix_temporary_file()

#endif
