#include "proto/platform_library.h"

#include <stddef.h>

void *ls_library_function(const char *name)
{
    (void)name;
    return NULL;
}
