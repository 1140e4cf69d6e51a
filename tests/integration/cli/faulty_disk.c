/* Loaded in front of the C library: a disk whose n-th call for a recording fails, and those behind
 * it for as long as wanted. FAULTY_DISK="CALL ERRNO FIRST COUNT NAME", where CALL is write, fsync
 * or fdatasync, and NAME, if there is one, a part of other files' names. All others work as ever.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef ssize_t write_call(int descriptor, const void *data, size_t bytes);
typedef int sync_call(int descriptor);

static atomic_uint calls;

/* NAME.lsr, NAME.3.lsr, and the name that it has before its first sync. */
static bool is_called(int descriptor, const char *part)
{
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return strstr(path, part) != NULL;
}

/* The error to fail with, or 0. */
static int next_fault(const char *call, int descriptor)
{
    const char *wanted = getenv("FAULTY_DISK");
    char name[16], part[16] = ".lsr";
    unsigned code, first, count;
    if (!wanted || sscanf(wanted, "%15s %u %u %u %15s", name, &code, &first, &count, part) < 4 ||
        strcmp(name, call) != 0 || !is_called(descriptor, part))
        return 0;
    unsigned number = 1 + atomic_fetch_add(&calls, 1);
    return number >= first && number - first < count ? (int)code : 0;
}

static int fail(int code)
{
    errno = code;
    return -1;
}

EXPORT ssize_t write(int descriptor, const void *data, size_t bytes)
{
    int code = next_fault("write", descriptor);
    write_call *next = (write_call *)dlsym(RTLD_NEXT, "write");
    return code ? fail(code) : next(descriptor, data, bytes);
}

EXPORT int fsync(int descriptor)
{
    int code = next_fault("fsync", descriptor);
    sync_call *next = (sync_call *)dlsym(RTLD_NEXT, "fsync");
    return code ? fail(code) : next(descriptor);
}

EXPORT int fdatasync(int descriptor)
{
    int code = next_fault("fdatasync", descriptor);
    sync_call *next = (sync_call *)dlsym(RTLD_NEXT, "fdatasync");
    return code ? fail(code) : next(descriptor);
}
