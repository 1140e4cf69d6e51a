#include "proto/platform_library.h"

#include <dlfcn.h>

void *ls_library_function(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}
