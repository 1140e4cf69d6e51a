#include "cli/check/page_edge.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

uint8_t *ls_page_edge_map(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        return NULL;
    return pages + page;
}
