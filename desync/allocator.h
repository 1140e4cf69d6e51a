/* Settings of the system's allocator. allocator.c for glibc, allocator_absent.c for others. */
#ifndef LS_ALLOCATOR_H
#define LS_ALLOCATOR_H

/* Keeps malloc from giving freed memory back to the system, and from mapping fresh pages, which are
 * zero, for a block below 32 MiB. Has an effect with glibc only. */
void ls_allocator_keep_pages(void);

#endif
