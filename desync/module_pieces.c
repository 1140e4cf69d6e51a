#include "desync/module_pieces.h"

#include <link.h>

struct search {
    uintptr_t inside;
    ls_module_pieces *found;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && address >= start && address - start < header->p_memsz)
            return true;
    }
    return false;
}

/* Returns the start of the writable part: the loader makes the memory before it read-only after
 * relocation. */
static uintptr_t open_start(const struct dl_phdr_info *info, uintptr_t start, uintptr_t end)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t closed = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_RELRO && closed >= start && closed < end)
            start = closed + header->p_memsz;
    }
    return start < end ? start : end;
}

static int look(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    struct search *search = argument;
    ls_module_pieces *found = search->found;
    (void)bytes;
    if (!info->dlpi_name[0] || !holds(info, search->inside))
        return 0;
    found->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum && found->count < LS_MODULE_PIECES_MAX; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_W))
            continue;
        uintptr_t start = info->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
        start = open_start(info, start, end);
        found->pieces[found->count].start = (uint8_t *)start;
        found->pieces[found->count++].count = end - start;
    }
    return 1;
}

bool ls_module_pieces_find(const void *inside, ls_module_pieces *found)
{
    struct search search = {.inside = (uintptr_t)inside, .found = found};
    *found = (ls_module_pieces){0};
    return dl_iterate_phdr(look, &search) != 0;
}
