#include "cli/common/address_shift_windows.h"

#include <lockstep/base.h>

#include <stdlib.h>
#include <windows.h>

#define MIB ((size_t)1 << 20)

void ls_address_shift(uint64_t number)
{
    void *hole = VirtualAlloc(NULL, (size_t)(number * 5 + 3) * MIB, MEM_RESERVE, PAGE_NOACCESS);
    LS_ASSERT(hole);
    for (uint64_t i = 0; i < number * 1024; i++)
        LS_ASSERT(malloc(i % 4096 + 1)); /* kept, so that later blocks are elsewhere */
}
