#include "cli/check/page_edge.h"

#include <windows.h>

uint8_t *ls_page_edge_map(void)
{
    SYSTEM_INFO facts;
    DWORD old;
    GetSystemInfo(&facts);
    size_t page = facts.dwPageSize;
    uint8_t *pages = VirtualAlloc(NULL, 2 * page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    return pages && VirtualProtect(pages + page, page, PAGE_NOACCESS, &old) ? pages + page : NULL;
}
