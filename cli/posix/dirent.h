/* cli/posix/posix.h under the names of POSIX. */
#ifndef LS_POSIX_DIRENT_H
#define LS_POSIX_DIRENT_H

#include "cli/posix/posix.h"

typedef ls_posix_folder DIR;
struct dirent {
    char d_name[1024];
};

#define opendir(path)       ls_posix_opendir(path)
#define readdir(directory)  ls_posix_readdir(directory)
#define closedir(directory) ls_posix_closedir(directory)

#endif
