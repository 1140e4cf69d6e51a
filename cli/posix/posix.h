/* The part of POSIX that the program uses, on Windows: cli/posix/posix_windows.c. The headers
 * beside this one have the names of the system's and give these functions the usual names, so that
 * the commands are written once. Only builds for Windows search this folder.
 *   shape   paths are UTF-8 and may be longer than 260 characters; files are binary
 *   errors  as in POSIX, with errno */
#ifndef LS_POSIX_H
#define LS_POSIX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stat;
struct dirent;

int ls_posix_open(const char *path, int flags, ...);
/* `mode` may have 'b', 'e' and 'x', which change nothing but that 'x' refuses an existing file. */
FILE *ls_posix_fopen(const char *path, const char *mode);
int ls_posix_access(const char *path, int mode);
int ls_posix_unlink(const char *path);
int ls_posix_rename(const char *from, const char *to);
int ls_posix_mkdir(const char *path);
int ls_posix_stat(const char *path, struct stat *facts);

/* A temporary file without a name. */
int ls_posix_temporary_file(void);
int64_t ls_posix_read(int file, void *bytes, size_t count);
int64_t ls_posix_write(int file, const void *bytes, size_t count);
int64_t ls_posix_read_at(int file, void *bytes, size_t count, int64_t at);
int64_t ls_posix_write_at(int file, const void *bytes, size_t count, int64_t at);
int ls_posix_replace(int from, int to);

/* Locks a whole file, as flock(): operations of sys/file.h. */
int ls_posix_lock(int file, int operation);

/* The entries of a folder; one is valid until the next call. */
typedef struct ls_posix_folder ls_posix_folder;
ls_posix_folder *ls_posix_opendir(const char *path);
struct dirent *ls_posix_readdir(ls_posix_folder *folder);
void ls_posix_closedir(ls_posix_folder *folder);

/* Orders texts, and numbers in them by value. */
int ls_posix_compare_numbered(const char *a, const char *b);

/* Loads a module; ls_posix_module_error() has the reason for a failure. */
void *ls_posix_module_open(const char *path);
void *ls_posix_module_find(void *module, const char *name);
void ls_posix_module_close(void *module);
const char *ls_posix_module_error(void);

/* Sleeps until this time of ls_monotonic_ns(). */
void ls_posix_sleep_until(uint64_t time_ns);

#endif
