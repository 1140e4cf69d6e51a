/* Files of the system, by descriptor and by path. The sources are platform_file_posix.c, with
 * platform_file_linux.c or platform_file_wasm.c, and platform_file_windows.c.
 *   shape   a path is UTF-8, with '/' between folders; on Windows also with '\', and it may be
 *           longer than 260 characters
 *   errors  -errno, also on Windows; a message takes strerror() of it
 *   thread  any, but only one at a time may use a descriptor; a sync may run beside a write */
#ifndef LS_PLATFORM_FILE_H
#define LS_PLATFORM_FILE_H

#include <lockstep/base.h>

/* The longest path, with its NUL. */
enum { LS_PATH_BYTES_MAX = 4096 };

typedef enum ls_descriptor_kind {
    LS_DESCRIPTOR_REGULAR,
    LS_DESCRIPTOR_FOLDER,
    LS_DESCRIPTOR_OTHER, /* a pipe, a device ... */
} ls_descriptor_kind;

/* Opens an existing file to read it, or also to write to it. Never waits for the other end of a
 * pipe. Child processes do not inherit the descriptor, and other processes may rename or remove the
 * file.
 *   errors  -ENOENT or -ENOTDIR: there is no such file */
int ls_descriptor_open(const char *path, bool can_write) LS_MUST_USE;
/* Creates a file for writing; -EEXIST when the name is taken. */
int ls_descriptor_create(const char *path) LS_MUST_USE;
/* Creates a file that no other user can read. On Windows the file inherits the access list of its
 * folder, so it is private only in a private folder, such as one in the user's profile. */
int ls_descriptor_create_private(const char *path) LS_MUST_USE;
int ls_descriptor_close(int descriptor);

/* Tells what is open; `bytes` is the length of a regular file. */
int ls_descriptor_examine(int descriptor, ls_descriptor_kind *kind, uint64_t *bytes) LS_MUST_USE;

/* Tells the permission bits as chmod takes them; on Windows and in WebAssembly always 0600. */
int ls_descriptor_get_mode(int descriptor, uint32_t *mode) LS_MUST_USE;

/* Returns how many bytes were read or written at the current place, maybe fewer than `count`; 0
 * when reading: the end. -EINTR is possible: call again. */
int64_t ls_descriptor_read(int descriptor, void *data, size_t count) LS_MUST_USE;
int64_t ls_descriptor_write(int descriptor, const void *data, size_t count) LS_MUST_USE;

/* Cuts the file to `bytes`; the next read or write begins there. */
int ls_descriptor_truncate(int descriptor, uint64_t bytes) LS_MUST_USE;
/* Returns when content and length are on the disk, with `has_facts` also times and modes. */
int ls_descriptor_sync(int descriptor, bool has_facts) LS_MUST_USE;

/* Locks the file against other descriptors that lock it, until this one is closed. Reading needs no
 * lock.
 *   errors  -EAGAIN: another descriptor has the lock; -ENOSYS in WebAssembly */
int ls_descriptor_lock(int descriptor) LS_MUST_USE;

/* Gives a file another name in its folder, atomically; -EEXIST when the name is taken. On a file
 * system that has neither such a renaming nor links, and always in WebAssembly, it only looks first
 * whether the name is taken: another process may create the name between the look and the
 * renaming. */
int ls_path_rename_new(const char *from, const char *to) LS_MUST_USE;
/* Gives a file another name in its folder, and atomically replaces the file that had it. On Windows
 * -EACCES while another process has the replaced file open. */
int ls_path_rename(const char *from, const char *to) LS_MUST_USE;
int ls_path_remove(const char *path);
/* Makes the names in the folder of `path` survive a power loss. No guarantee on a file system that
 * cannot sync folders, and on Windows, where the file system's journal decides. */
int ls_path_sync_folder(const char *path) LS_MUST_USE;
/* Whether both paths lead to one existing file, maybe by links. */
bool ls_path_is_same(const char *a, const char *b) LS_MUST_USE;
/* The length of the folder in `path`, without the '/' after it unless it is the root; 0: the path
 * has no folder. */
size_t ls_path_folder_length(const char *path);
/* The part of `path` after its folder. */
const char *ls_path_name(const char *path);

/* Tells how many bytes this user may still write to the file system of a folder; -ENOSYS in
 * WebAssembly. */
int ls_path_free_bytes(const char *folder, uint64_t *bytes) LS_MUST_USE;

/* Whether an error, as a positive errno, means that the disk, or the user's share of it, is
 * full. */
bool ls_code_is_full(int code);
/* The number of this process; in WebAssembly always 1. */
uint64_t ls_process_id(void);

#endif
