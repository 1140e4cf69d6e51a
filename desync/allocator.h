/* Settings of the system's allocator. allocator.c for glibc, allocator_windows.c. */
#ifndef LS_ALLOCATOR_H
#define LS_ALLOCATOR_H

/* Keeps malloc from taking fresh pages of the system, which are zero, and from giving any back. No
 * effect on Windows. */
void ls_allocator_keep_pages(void);

#endif
