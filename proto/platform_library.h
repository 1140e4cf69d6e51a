/* Functions of a program that take the place of a shared library's. Private to proto/. */
#ifndef LS_PLATFORM_LIBRARY_H
#define LS_PLATFORM_LIBRARY_H

/* Marks such a function: the library's own calls find it, because a program's symbols come first. A
 * shared library on Windows calls its own functions, so there the definition has an effect only on
 * a static library that lacks the function. */
#ifdef _WIN32
#define LS_REPLACES
#else
#define LS_REPLACES __attribute__((visibility("default"), weak))
#endif

/* Returns the library's own function of this name; NULL: there is none, or no way to find it. */
void *ls_library_function(const char *name);

#endif
