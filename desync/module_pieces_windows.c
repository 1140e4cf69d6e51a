#include "desync/module_pieces.h"

#include <string.h>
#include <windows.h>

/* The addresses of imported functions are the loader's; the rest of what can be written is the
 * module's. */
static bool is_of_module(const IMAGE_SECTION_HEADER *section)
{
    return (section->Characteristics & IMAGE_SCN_MEM_WRITE) &&
           memcmp(section->Name, ".idata", sizeof ".idata") != 0;
}

bool ls_module_pieces_find(const void *inside, ls_module_pieces *found)
{
    HMODULE module;
    DWORD flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    *found = (ls_module_pieces){0};
    if (!GetModuleHandleExW(flags, inside, &module) || module == GetModuleHandleW(NULL))
        return false;
    uint8_t *base = (uint8_t *)module;
    const IMAGE_DOS_HEADER *begin = (const void *)base;
    const IMAGE_NT_HEADERS *headers = (const void *)(base + begin->e_lfanew);
    const IMAGE_SECTION_HEADER *section = IMAGE_FIRST_SECTION(headers);
    found->base = (uintptr_t)base;
    for (uint32_t i = 0; i < headers->FileHeader.NumberOfSections; i++, section++) {
        if (!is_of_module(section) || found->count == LS_MODULE_PIECES_MAX)
            continue;
        found->pieces[found->count].start = base + section->VirtualAddress;
        found->pieces[found->count++].count = section->Misc.VirtualSize;
    }
    return true;
}
