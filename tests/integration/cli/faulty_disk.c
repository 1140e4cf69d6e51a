/* Preloaded with LD_PRELOAD: a disk on which calls for a recording fail from the n-th on.
 * FAULTY_DISK="CALL ERRNO FIRST COUNT NAME": COUNT calls fail. CALL is write, fsync or fdatasync;
 * NAME, optional, selects files with another part in their names. All other calls work.
 *
 * SLOW_DISK="MS PART SWITCH": while a file SWITCH exists, each call except write that takes a path
 * with PART in it, or a descriptor of such a file, takes MS longer and is logged in SWITCH. While a
 * file SWITCH.noted exists, each such call is logged there. A log line is CALL THREAD PATH. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef ssize_t write_call(int descriptor, const void *data, size_t bytes);
typedef int sync_call(int descriptor);

static atomic_uint calls;

/* True if the file's path contains `part`: ".lsr" is in NAME.lsr, NAME.3.lsr and the temporary
 * name. */
static bool is_called(int descriptor, const char *part)
{
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return strstr(path, part) != NULL;
}

/* Uses raw system calls, because the library's are wrapped below. False if the file does not
 * exist. */
static bool note(const char *name, const char *call, const char *path)
{
    char line[PATH_MAX + 64];
    int file = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return false;
    int length = snprintf(line, sizeof line, "%s %ld %s\n", call, syscall(SYS_gettid), path);
    (void)!syscall(SYS_write, file, line, (size_t)length);
    syscall(SYS_close, file);
    return true;
}

static void be_slow(const char *call, const char *path)
{
    const char *wanted = getenv("SLOW_DISK");
    char part[64], gate[PATH_MAX], noted[PATH_MAX + 8];
    unsigned ms;
    if (!wanted || sscanf(wanted, "%u %63s %4095s", &ms, part, gate) != 3 || !strstr(path, part))
        return;
    snprintf(noted, sizeof noted, "%s.noted", gate);
    (void)note(noted, call, path);
    if (!note(gate, call, path))
        return;
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static void be_slow_with(const char *call, int descriptor)
{
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    be_slow(call, path);
}

/* The error with which this call must fail, or 0. */
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
    be_slow_with("fsync", descriptor);
    sync_call *next = (sync_call *)dlsym(RTLD_NEXT, "fsync");
    return code ? fail(code) : next(descriptor);
}

EXPORT int fdatasync(int descriptor)
{
    int code = next_fault("fdatasync", descriptor);
    be_slow_with("fdatasync", descriptor);
    sync_call *next = (sync_call *)dlsym(RTLD_NEXT, "fdatasync");
    return code ? fail(code) : next(descriptor);
}

EXPORT int close(int descriptor)
{
    be_slow_with("close", descriptor);
    sync_call *next = (sync_call *)dlsym(RTLD_NEXT, "close");
    return next(descriptor);
}

EXPORT int open(const char *path, int flags, ...)
{
    typedef int open_call(const char *path, int flags, ...);
    open_call *next = (open_call *)dlsym(RTLD_NEXT, "open");
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    be_slow("open", path);
    return next(path, flags, mode);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    typedef FILE *fopen_call(const char *path, const char *mode);
    fopen_call *next = (fopen_call *)dlsym(RTLD_NEXT, "fopen");
    be_slow("fopen", path);
    return next(path, mode);
}

EXPORT DIR *opendir(const char *path)
{
    typedef DIR *opendir_call(const char *path);
    opendir_call *next = (opendir_call *)dlsym(RTLD_NEXT, "opendir");
    be_slow("opendir", path);
    return next(path);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    typedef int mkdir_call(const char *path, mode_t mode);
    mkdir_call *next = (mkdir_call *)dlsym(RTLD_NEXT, "mkdir");
    be_slow("mkdir", path);
    return next(path, mode);
}

EXPORT int access(const char *path, int mode)
{
    typedef int access_call(const char *path, int mode);
    access_call *next = (access_call *)dlsym(RTLD_NEXT, "access");
    be_slow("access", path);
    return next(path, mode);
}

EXPORT int stat(const char *restrict path, struct stat *restrict facts)
{
    typedef int stat_call(const char *path, struct stat *facts);
    stat_call *next = (stat_call *)dlsym(RTLD_NEXT, "stat");
    be_slow("stat", path);
    return next(path, facts);
}

typedef int path_call(const char *path);

EXPORT int unlink(const char *path)
{
    path_call *next = (path_call *)dlsym(RTLD_NEXT, "unlink");
    be_slow("unlink", path);
    return next(path);
}

EXPORT int remove(const char *path)
{
    path_call *next = (path_call *)dlsym(RTLD_NEXT, "remove");
    be_slow("remove", path);
    return next(path);
}

EXPORT int rename(const char *from, const char *to)
{
    typedef int rename_call(const char *from, const char *to);
    rename_call *next = (rename_call *)dlsym(RTLD_NEXT, "rename");
    be_slow("rename", to);
    return next(from, to);
}

EXPORT int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    typedef int rename_call(int from_folder, const char *from, int to_folder, const char *to,
                            unsigned flags);
    rename_call *next = (rename_call *)dlsym(RTLD_NEXT, "renameat2");
    be_slow("renameat2", to);
    return next(from_folder, from, to_folder, to, flags);
}
