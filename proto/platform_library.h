/* Functions of a program that take the place of a shared library's. Private to proto/. */
#ifndef LS_PLATFORM_LIBRARY_H
#define LS_PLATFORM_LIBRARY_H

/* Marks such a function: the library's own calls find it, because a program's symbols come first.
 * On Windows a library calls its own functions; the definition then counts for a static library
 * that leaves it out. */
#ifdef _WIN32
#define LS_REPLACES
#else
#define LS_REPLACES __attribute__((visibility("default"), weak))
#endif

/* Returns the library's own function of this name; NULL: there is none, or no way to find it. */
void *ls_library_function(const char *name);

#endif
