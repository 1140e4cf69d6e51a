#include "cli/posix/posix.h"

#include "core/base/platform.h"
#include "core/base/platform_file_windows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <windows.h>

enum { ERROR_BYTES = 512, UNITS_100NS = 100, NAMES_TRIED = 100 };

/* Sets errno of -errno; returns -1, or 0 without an error. */
static int give(int code)
{
    if (code < 0)
        errno = -code;
    return code < 0 ? -1 : 0;
}

static DWORD creation_of(int flags)
{
    if (flags & O_CREAT)
        return flags & O_EXCL ? CREATE_NEW : flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
    return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

static DWORD access_of(int flags)
{
    DWORD write_access = flags & O_APPEND ? FILE_APPEND_DATA | SYNCHRONIZE : GENERIC_WRITE;
    int kind = flags & (O_WRONLY | O_RDWR);
    return kind == O_WRONLY ? write_access
           : kind == O_RDWR ? GENERIC_READ | write_access
                            : GENERIC_READ;
}

int ls_posix_open(const char *path, int flags, ...)
{
    ls_wide_path wide;
    if (give(ls_path_widen(path, &wide)) != 0)
        return -1;
    HANDLE handle = CreateFileW(wide.units, access_of(flags),
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                creation_of(flags), FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return give(ls_windows_error());
    int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT | (flags & O_APPEND));
    if (file < 0)
        CloseHandle(handle);
    return file;
}

FILE *ls_posix_fopen(const char *path, const char *mode)
{
    static const char *const plain[] = {"rb", "wb", "ab", "r+b", "w+b", "a+b"};
    bool is_both = strchr(mode, '+') != NULL;
    int flags = mode[0] == 'r' ? 0 : mode[0] == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    flags |= is_both ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    if (strchr(mode, 'x'))
        flags |= O_EXCL;
    int file = ls_posix_open(path, flags);
    if (file < 0)
        return NULL;
    size_t which = mode[0] == 'r' ? 0 : mode[0] == 'w' ? 1 : 2;
    FILE *stream = _fdopen(file, plain[which + (is_both ? 3 : 0)]);
    if (!stream)
        _close(file);
    return stream;
}

int ls_posix_access(const char *path, int mode)
{
    ls_wide_path wide;
    (void)mode;
    if (give(ls_path_widen(path, &wide)) != 0)
        return -1;
    return GetFileAttributesW(wide.units) == INVALID_FILE_ATTRIBUTES ? give(ls_windows_error()) : 0;
}

int ls_posix_unlink(const char *path)
{
    return give(ls_path_remove(path));
}

int ls_posix_rename(const char *from, const char *to)
{
    return give(ls_path_rename(from, to));
}

int ls_posix_mkdir(const char *path)
{
    ls_wide_path wide;
    if (give(ls_path_widen(path, &wide)) != 0)
        return -1;
    return CreateDirectoryW(wide.units, NULL) ? 0 : give(ls_windows_error());
}

int ls_posix_stat(const char *path, struct stat *facts)
{
    ls_wide_path wide;
    BY_HANDLE_FILE_INFORMATION found;
    *facts = (struct stat){0};
    if (give(ls_path_widen(path, &wide)) != 0)
        return -1;
    HANDLE handle =
        CreateFileW(wide.units, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return give(ls_windows_error());
    bool is_known = GetFileInformationByHandle(handle, &found);
    int code = is_known ? 0 : ls_windows_error();
    CloseHandle(handle);
    if (!is_known)
        return give(code);
    facts->st_mode = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG;
    facts->st_size = (off_t)((int64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow);
    return 0;
}

/* The folder of temporary files, with a backslash at its end. GetTempPathW() ignores one that is
 * longer than MAX_PATH, and GetTempFileNameW() refuses it. */
static int find_temporary_folder(char folder[LS_PATH_BYTES_MAX])
{
    wchar_t units[LS_PATH_BYTES_MAX];
    DWORD length = GetEnvironmentVariableW(L"TMP", units, LS_PATH_BYTES_MAX - 1);
    if (length > 0 && length < LS_PATH_BYTES_MAX - 1)
        wcscat(units, L"\\");
    else
        length = GetTempPathW(LS_PATH_BYTES_MAX, units);
    if (length == 0 || length >= LS_PATH_BYTES_MAX)
        return ls_windows_error();
    return WideCharToMultiByte(CP_UTF8, 0, units, -1, folder, LS_PATH_BYTES_MAX, NULL, NULL)
               ? 0
               : -ENAMETOOLONG;
}

int ls_posix_temporary_file(void)
{
    static volatile LONG made;
    char folder[LS_PATH_BYTES_MAX], path[LS_PATH_BYTES_MAX];
    ls_wide_path wide;
    HANDLE handle = INVALID_HANDLE_VALUE;
    int code = find_temporary_folder(folder);
    for (int tries = 0; code == 0 && handle == INVALID_HANDLE_VALUE && tries < NAMES_TRIED;
         tries++) {
        int count = snprintf(path, sizeof path, "%slockstep-%lu-%ld.tmp", folder,
                             GetCurrentProcessId(), InterlockedIncrement(&made));
        code =
            count < 0 || (size_t)count >= sizeof path ? -ENAMETOOLONG : ls_path_widen(path, &wide);
        if (code == 0)
            handle = CreateFileW(wide.units, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW,
                                 FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    }
    if (code < 0 || handle == INVALID_HANDLE_VALUE)
        return give(code < 0 ? code : ls_windows_error());
    return _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
}

int64_t ls_posix_read(int file, void *bytes, size_t count)
{
    int64_t done = ls_descriptor_read(file, bytes, count);
    return done < 0 ? give((int)done) : done;
}

int64_t ls_posix_write(int file, const void *bytes, size_t count)
{
    int64_t done = ls_descriptor_write(file, bytes, count);
    return done < 0 ? give((int)done) : done;
}

/* A place for one call: processes that share the file also share its current place. */
static OVERLAPPED place_at(int64_t at)
{
    return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
}

int64_t ls_posix_read_at(int file, void *bytes, size_t count, int64_t at)
{
    OVERLAPPED place = place_at(at);
    DWORD done;
    HANDLE handle = ls_windows_handle(file);
    if (ReadFile(handle, bytes, ls_windows_part(count), &done, &place))
        return done;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : give(ls_windows_error());
}

int64_t ls_posix_write_at(int file, const void *bytes, size_t count, int64_t at)
{
    OVERLAPPED place = place_at(at);
    DWORD done;
    HANDLE handle = ls_windows_handle(file);
    if (WriteFile(handle, bytes, ls_windows_part(count), &done, &place))
        return done;
    return give(ls_windows_error());
}

int ls_posix_replace(int from, int to)
{
    return _dup2(from, to);
}

/* As ls_descriptor_lock(), but of a byte of its own: a recording that is written is locked there.
 */
int ls_posix_lock(int file, int operation)
{
    OVERLAPPED place = {.OffsetHigh = 0x7fffffff};
    DWORD flags = operation & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0;
    if (operation & LOCK_NB)
        flags |= LOCKFILE_FAIL_IMMEDIATELY;
    HANDLE handle = ls_windows_handle(file);
    return LockFileEx(handle, flags, 0, 1, 0, &place) ? 0 : give(ls_windows_error());
}

struct ls_posix_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool is_first;
    struct dirent entry;
};

ls_posix_folder *ls_posix_opendir(const char *path)
{
    char pattern[LS_PATH_BYTES_MAX];
    ls_wide_path wide;
    int count = snprintf(pattern, sizeof pattern, "%s/*", path);
    int code = count < 0 || (size_t)count >= sizeof pattern ? -ENAMETOOLONG
                                                            : ls_path_widen(pattern, &wide);
    if (give(code) != 0)
        return NULL;
    ls_posix_folder *folder = ls_alloc(sizeof *folder);
    folder->is_first = true;
    folder->search = FindFirstFileW(wide.units, &folder->found);
    if (folder->search != INVALID_HANDLE_VALUE)
        return folder;
    (void)give(ls_windows_error());
    ls_free(folder);
    return NULL;
}

struct dirent *ls_posix_readdir(ls_posix_folder *folder)
{
    if (!folder->is_first && !FindNextFileW(folder->search, &folder->found))
        return NULL;
    folder->is_first = false;
    if (WideCharToMultiByte(CP_UTF8, 0, folder->found.cFileName, -1, folder->entry.d_name,
                            sizeof folder->entry.d_name, NULL, NULL) == 0)
        folder->entry.d_name[0] = '\0';
    return &folder->entry;
}

void ls_posix_closedir(ls_posix_folder *folder)
{
    FindClose(folder->search);
    ls_free(folder);
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

int ls_posix_compare_numbered(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            size_t left = strspn(a, "0123456789"), right = strspn(b, "0123456789");
            if (left != right)
                return left < right ? -1 : 1;
        }
        if (*a != *b)
            break;
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static char module_error[ERROR_BYTES]; /* the loader is called by one thread */

/* Writes the words of Linux for a function that is not found, as cli/module/sim_load.c knows them.
 * Loaders of old versions of Windows take no long path, not even with its prefix. */
static void note_module_error(void)
{
    DWORD code = GetLastError();
    wchar_t wide[ERROR_BYTES / 2];
    DWORD units = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                 code, MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), wide,
                                 LS_COUNT_OF(wide) - 1, NULL);
    while (units > 0 && wcschr(L"\r\n. ", wide[units - 1]))
        units--;
    wide[units] = 0;
    char text[ERROR_BYTES];
    if (units == 0 || WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, sizeof text, NULL, NULL) == 0)
        snprintf(text, sizeof text, "error %lu", code);
    const char *name = code == ERROR_PROC_NOT_FOUND         ? "undefined symbol: "
                       : code == ERROR_MOD_NOT_FOUND        ? "a DLL that it needs is missing: "
                       : code == ERROR_BAD_EXE_FORMAT       ? "not a module for this machine: "
                       : code == ERROR_FILENAME_EXCED_RANGE ? "path too long: "
                                                            : "";
    snprintf(module_error, sizeof module_error, "%s%.400s", name, text);
}

/* Returns the first function that the module wants of this program and that it does not export;
 * NULL: none. The module is mapped and not linked. */
static const char *find_missing(HMODULE module)
{
    const uint8_t *base = (const void *)module;
    const IMAGE_DOS_HEADER *begin = (const void *)base;
    const IMAGE_NT_HEADERS64 *headers = (const void *)(base + begin->e_lfanew);
    const IMAGE_DATA_DIRECTORY *directory =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    const IMAGE_IMPORT_DESCRIPTOR *library = (const void *)(base + directory->VirtualAddress);
    for (; directory->Size > 0 && library->Name; library++) {
        const IMAGE_THUNK_DATA64 *entry = (const void *)(base + library->OriginalFirstThunk);
        if (_stricmp((const char *)(base + library->Name), "lockstep.exe") != 0)
            continue;
        for (; library->OriginalFirstThunk && entry->u1.AddressOfData; entry++) {
            const IMAGE_IMPORT_BY_NAME *by_name = (const void *)(base + entry->u1.AddressOfData);
            if (!IMAGE_SNAP_BY_ORDINAL64(entry->u1.Ordinal) &&
                !GetProcAddress(GetModuleHandleW(NULL), (const char *)by_name->Name))
                return (const char *)by_name->Name;
        }
    }
    return NULL;
}

/* Whether this program exports every function that the module imports from it. If not, the error
 * names the first missing one; the loader's error does not. */
static bool is_complete(const wchar_t *path)
{
    HMODULE module = LoadLibraryExW(path, NULL, DONT_RESOLVE_DLL_REFERENCES);
    const char *missing =
        module ? find_missing(module) : NULL; /* the loader names its own faults */
    if (missing)
        snprintf(module_error, sizeof module_error, "undefined symbol: %.200s", missing);
    if (module)
        FreeLibrary(module);
    return !missing;
}

void *ls_posix_module_open(const char *path)
{
    ls_wide_path wide;
    int code = ls_path_widen(path, &wide);
    if (code != 0) {
        snprintf(module_error, sizeof module_error, "%s", strerror(-code));
        return NULL;
    }
    struct stat facts;
    if (ls_posix_stat(path, &facts) == 0 && facts.st_size < (off_t)sizeof(IMAGE_DOS_HEADER)) {
        snprintf(module_error, sizeof module_error, "file too short");
        return NULL;
    }
    for (wchar_t *unit = wide.units; *unit; unit++)
        if (*unit == L'/')
            *unit = L'\\';
    /* No window may ask the user about a broken module. */
    UINT mode = SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
    HMODULE module = NULL;
    if (is_complete(wide.units)) {
        module = LoadLibraryW(wide.units);
        if (!module)
            note_module_error();
    }
    SetErrorMode(mode);
    return module;
}

void *ls_posix_module_find(void *module, const char *name)
{
    FARPROC function = GetProcAddress(module, name);
    void *found;
    memcpy(&found, &function, sizeof found);
    return found;
}

void ls_posix_module_close(void *module)
{
    FreeLibrary(module);
}

const char *ls_posix_module_error(void)
{
    return module_error;
}

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

/* A timer of the finest resolution that this Windows has; the plain one follows timeBeginPeriod().
 */
static HANDLE make_timer(void)
{
    HANDLE timer =
        CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    return timer ? timer : CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
}

void ls_posix_sleep_until(uint64_t time_ns)
{
    static _Thread_local HANDLE timer;
    uint64_t now_ns = ls_monotonic_ns();
    if (time_ns <= now_ns)
        return;
    if (!timer)
        timer = make_timer();
    LARGE_INTEGER due = {.QuadPart =
                             -(LONGLONG)((time_ns - now_ns + UNITS_100NS - 1) / UNITS_100NS)};
    if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else
        Sleep((DWORD)((time_ns - now_ns) / 1000000 + 1));
}
