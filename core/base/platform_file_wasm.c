/* The part of core/base/platform_file.h that WASI lacks. */
#include "core/base/platform_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

int ls_descriptor_lock(int descriptor)
{
    (void)descriptor;
    return -ENOSYS;
}

int ls_descriptor_get_mode(int descriptor, uint32_t *mode)
{
    (void)descriptor;
    *mode = 0600;
    return 0;
}

int ls_path_rename_new(const char *from, const char *to)
{
    struct stat existing;
    if (lstat(to, &existing) == 0)
        return -EEXIST;
    return rename(from, to) == 0 ? 0 : -errno;
}

int ls_path_free_bytes(const char *folder, uint64_t *bytes)
{
    (void)folder, (void)bytes;
    return -ENOSYS;
}

uint64_t ls_process_id(void)
{
    return 1;
}
