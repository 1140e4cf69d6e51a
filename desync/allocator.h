/* Settings of the system's allocator. allocator.c for glibc, allocator_absent.c for others. */
#ifndef LS_ALLOCATOR_H
#define LS_ALLOCATOR_H

/* Keeps malloc from taking fresh pages of the system, which are zero, and from giving any back. No
 * effect but with glibc. */
void ls_allocator_keep_pages(void);

#endif
