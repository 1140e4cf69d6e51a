#include "desync/allocator.h"

#include <malloc.h>

#define FAST_BYTES 160 /* the largest value that glibc accepts */
#define MMAP_BYTES (32 << 20)

void ls_allocator_keep_pages(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_MXFAST, FAST_BYTES);
}
