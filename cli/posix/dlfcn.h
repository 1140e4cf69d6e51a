/* cli/posix/posix.h under the names of POSIX. */
#ifndef LS_POSIX_DLFCN_H
#define LS_POSIX_DLFCN_H

#include "cli/posix/posix.h"

#define RTLD_NOW   0
#define RTLD_LOCAL 0

#define dlopen(path, flags) ls_posix_module_open(path)
#define dlsym(module, name) ls_posix_module_find(module, name)
#define dlclose(module)     ls_posix_module_close(module)
#define dlerror()           ls_posix_module_error()

#endif
