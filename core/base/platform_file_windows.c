/* core/base/platform_file.h on Windows. Descriptors belong to the C library; their handles are
 * opened so that others may rename and remove the file, as on POSIX. */
#include "core/base/platform_file.h"

#include "core/base/platform_file_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

/* Windows accepts a path longer than MAX_PATH only if it is absolute and begins with LONG_PREFIX,
 * or with UNC_PREFIX when it is on a network share. */
#define LONG_PREFIX L"\\\\?\\"
#define UNC_PREFIX  L"\\\\?\\UNC"
enum {
    SHORT_PATH_UNITS = 240, /* MAX_PATH, minus room for what functions append */
    CALL_BYTES_MAX = 1 << 30
};

static const struct {
    DWORD windows;
    int code;
} codes[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_LOCK_VIOLATION, EAGAIN},
    {ERROR_INVALID_NAME, EINVAL},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
};

int ls_windows_error(void)
{
    DWORD windows = GetLastError();
    for (size_t i = 0; i < LS_COUNT_OF(codes); i++) {
        if (codes[i].windows == windows)
            return -codes[i].code;
    }
    return -EIO;
}

void *ls_windows_handle(int descriptor)
{
    return (HANDLE)_get_osfhandle(descriptor); /* NOLINT */
}

/* Whether a name between two backslashes is longer than file systems take. They refuse it with
 * different errors, so it is checked here. */
static bool has_long_name(const wchar_t *path)
{
    enum { NAME_UNITS_MAX = 255 };
    size_t length = 0;
    for (; *path; path++) {
        length = *path == L'\\' ? 0 : length + 1;
        if (length > NAME_UNITS_MAX)
            return true;
    }
    return false;
}

/* Writes the absolute path, with the prefix if it is long. A share's path then keeps one of its two
 * backslashes. */
static int lengthen(const wchar_t *path, ls_wide_path *wide)
{
    wchar_t full[LS_PATH_BYTES_MAX];
    DWORD length = GetFullPathNameW(path, LS_PATH_BYTES_MAX, full, NULL);
    if (length == 0)
        return ls_windows_error();
    if (length >= LS_PATH_BYTES_MAX || has_long_name(full))
        return -ENAMETOOLONG;
    bool is_plain = length < SHORT_PATH_UNITS || wcsncmp(full, LONG_PREFIX, 4) == 0;
    bool is_share = !is_plain && wcsncmp(full, L"\\\\", 2) == 0;
    wcscpy(wide->units, is_plain ? L"" : is_share ? UNC_PREFIX : LONG_PREFIX);
    wcscat(wide->units, full + is_share);
    return 0;
}

int ls_path_widen(const char *path, ls_wide_path *wide)
{
    wchar_t units[LS_PATH_BYTES_MAX];
    if (strlen(path) >= LS_PATH_BYTES_MAX)
        return -ENAMETOOLONG;
    int count =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, units, LS_PATH_BYTES_MAX);
    return count == 0 ? -EILSEQ : lengthen(units, wide);
}

/* FILE_FLAG_BACKUP_SEMANTICS opens folders too, so that a message can name them. */
static int open_path(const char *path, DWORD access, DWORD creation)
{
    ls_wide_path wide;
    int result = ls_path_widen(path, &wide);
    if (result != 0)
        return result;
    HANDLE handle =
        CreateFileW(wide.units, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    NULL, creation, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return ls_windows_error();
    int descriptor = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    if (descriptor < 0) {
        CloseHandle(handle);
        return -EMFILE;
    }
    return descriptor;
}

int ls_descriptor_open(const char *path, bool can_write)
{
    return open_path(path, can_write ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ, OPEN_EXISTING);
}

int ls_descriptor_create(const char *path)
{
    return open_path(path, GENERIC_WRITE, CREATE_NEW);
}

int ls_descriptor_create_private(const char *path)
{
    return ls_descriptor_create(path);
}

int ls_descriptor_get_mode(int descriptor, uint32_t *mode)
{
    (void)descriptor;
    *mode = 0600;
    return 0;
}

int ls_descriptor_close(int descriptor)
{
    return _close(descriptor) == 0 ? 0 : -errno;
}

int ls_descriptor_examine(int descriptor, ls_descriptor_kind *kind, uint64_t *bytes)
{
    BY_HANDLE_FILE_INFORMATION facts;
    *bytes = 0;
    *kind = LS_DESCRIPTOR_OTHER;
    if (GetFileType(ls_windows_handle(descriptor)) != FILE_TYPE_DISK)
        return 0;
    if (!GetFileInformationByHandle(ls_windows_handle(descriptor), &facts))
        return ls_windows_error();
    bool is_folder = (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    *kind = is_folder ? LS_DESCRIPTOR_FOLDER : LS_DESCRIPTOR_REGULAR;
    *bytes = (uint64_t)facts.nFileSizeHigh << 32 | facts.nFileSizeLow;
    return 0;
}

uint32_t ls_windows_part(size_t count)
{
    return count < CALL_BYTES_MAX ? (uint32_t)count : CALL_BYTES_MAX;
}

/* Reads and writes do not use the C library, because it reports a full disk as EINVAL. */
int64_t ls_descriptor_read(int descriptor, void *data, size_t count)
{
    DWORD done;
    if (ReadFile(ls_windows_handle(descriptor), data, ls_windows_part(count), &done, NULL))
        return done;
    return GetLastError() == ERROR_BROKEN_PIPE ? 0 : ls_windows_error(); /* the writer is gone */
}

int64_t ls_descriptor_write(int descriptor, const void *data, size_t count)
{
    DWORD done;
    if (!WriteFile(ls_windows_handle(descriptor), data, ls_windows_part(count), &done, NULL))
        return ls_windows_error();
    return done == 0 && count > 0 ? -ENOSPC : (int64_t)done;
}

int ls_descriptor_truncate(int descriptor, uint64_t bytes)
{
    LARGE_INTEGER place = {.QuadPart = (LONGLONG)bytes};
    HANDLE handle = ls_windows_handle(descriptor);
    return SetFilePointerEx(handle, place, NULL, FILE_BEGIN) && SetEndOfFile(handle)
               ? 0
               : ls_windows_error();
}

int ls_descriptor_sync(int descriptor, bool has_facts)
{
    (void)has_facts; /* Windows always writes times and attributes, too */
    return FlushFileBuffers(ls_windows_handle(descriptor)) ? 0 : ls_windows_error();
}

/* Locks a byte far after any content, because Windows keeps others from reading locked bytes. */
int ls_descriptor_lock(int descriptor)
{
    OVERLAPPED place = {.OffsetHigh = 0x7fffffff};
    DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    return LockFileEx(ls_windows_handle(descriptor), flags, 0, 1, 0, &place) ? 0
                                                                             : ls_windows_error();
}

static int rename_with(const char *from, const char *to, DWORD flags)
{
    ls_wide_path old_name, new_name;
    int result = ls_path_widen(from, &old_name);
    if (result == 0)
        result = ls_path_widen(to, &new_name);
    if (result != 0)
        return result;
    return MoveFileExW(old_name.units, new_name.units, flags) ? 0 : ls_windows_error();
}

int ls_path_rename_new(const char *from, const char *to)
{
    return rename_with(from, to, MOVEFILE_WRITE_THROUGH);
}

int ls_path_rename(const char *from, const char *to)
{
    return rename_with(from, to, MOVEFILE_WRITE_THROUGH | MOVEFILE_REPLACE_EXISTING);
}

int ls_path_remove(const char *path)
{
    ls_wide_path wide;
    int result = ls_path_widen(path, &wide);
    if (result != 0)
        return result;
    return DeleteFileW(wide.units) ? 0 : ls_windows_error();
}

int ls_path_free_bytes(const char *folder, uint64_t *bytes)
{
    ls_wide_path wide;
    ULARGE_INTEGER left;
    int result = ls_path_widen(folder, &wide);
    if (result != 0)
        return result;
    if (!GetDiskFreeSpaceExW(wide.units, &left, NULL, NULL))
        return ls_windows_error();
    *bytes = left.QuadPart;
    return 0;
}

/* Opens both files at the same time, because a file can get the number of a removed one. */
bool ls_path_is_same(const char *a, const char *b)
{
    BY_HANDLE_FILE_INFORMATION one, other;
    int first = open_path(a, 0, OPEN_EXISTING), second = open_path(b, 0, OPEN_EXISTING);
    bool is_same =
        first >= 0 && second >= 0 && GetFileInformationByHandle(ls_windows_handle(first), &one) &&
        GetFileInformationByHandle(ls_windows_handle(second), &other) &&
        one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
        one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
    if (first >= 0)
        _close(first);
    if (second >= 0)
        _close(second);
    return is_same;
}

const char *ls_path_name(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && !strchr("/\\", path[length - 1]))
        length--;
    return path + length;
}

size_t ls_path_folder_length(const char *path)
{
    size_t length = (size_t)(ls_path_name(path) - path);
    bool is_root = length == 1 || (length == 3 && path[1] == ':');
    return is_root || length == 0 ? length : length - 1;
}

int ls_path_sync_folder(const char *path)
{
    (void)path;
    return 0;
}

bool ls_code_is_full(int code)
{
    return code == ENOSPC;
}

uint64_t ls_process_id(void)
{
    return (uint64_t)_getpid();
}
