/* The part of core/base/platform_file.h that POSIX lacks and Linux has. */
#include "core/base/platform_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE /* musl before 1.2.5 */
#include <linux/fs.h>
#include <sys/syscall.h>
static int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

int ls_descriptor_lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

int ls_descriptor_get_mode(int descriptor, uint32_t *mode)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return -errno;
    *mode = facts.st_mode & 07777;
    return 0;
}

int ls_path_rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    if (link(from, to) == 0) /* NFS has no RENAME_NOREPLACE */
        return unlink(from) == 0 ? 0 : -errno;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return -errno;
    struct stat existing;
    if (lstat(to, &existing) == 0)
        return -EEXIST;
    return rename(from, to) == 0 ? 0 : -errno;
}

int ls_path_free_bytes(const char *folder, uint64_t *bytes)
{
    struct statvfs facts;
    if (statvfs(folder, &facts) != 0)
        return -errno;
    *bytes = (uint64_t)facts.f_bavail * facts.f_frsize;
    return 0;
}

uint64_t ls_process_id(void)
{
    return (uint64_t)getpid();
}
