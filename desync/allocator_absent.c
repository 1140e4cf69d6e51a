#include "desync/allocator.h"

void ls_allocator_keep_pages(void)
{
}
