#include "desync/statics.h"

#include "desync/raw_copy.h"

#include <link.h>
#include <string.h>

#define PIECES_MAX 8

struct piece {
    uint8_t *start;
    size_t count;
    uint8_t *bytes;
};

struct ls_statics {
    uintptr_t inside;
    struct piece pieces[PIECES_MAX];
    uint32_t count;
};

struct search {
    uintptr_t inside;
    ls_statics *statics; /* NULL until the module is found */
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
    (void)bytes;
    if (!info->dlpi_name[0] || !holds(info, search->inside))
        return 0;
    search->statics = ls_alloc(sizeof *search->statics);
    search->statics->inside = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum && search->statics->count < PIECES_MAX; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_W))
            continue;
        uintptr_t start = info->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
        start = open_start(info, start, end);
        struct piece *piece = &search->statics->pieces[search->statics->count++];
        *piece = (struct piece){.start = (uint8_t *)start, .count = end - start};
        piece->bytes = ls_alloc(piece->count + 1);
        ls_raw_copy(piece->bytes, piece->start, piece->count);
    }
    return 1;
}

ls_statics *ls_statics_take(const void *inside)
{
    struct search search = {.inside = (uintptr_t)inside};
    (void)dl_iterate_phdr(look, &search);
    return search.statics;
}

void ls_statics_destroy(ls_statics *statics)
{
    for (uint32_t i = 0; statics && i < statics->count; i++)
        ls_free(statics->pieces[i].bytes);
    ls_free(statics);
}

void ls_statics_put(const ls_statics *statics)
{
    for (uint32_t i = 0; i < statics->count; i++)
        ls_raw_copy(statics->pieces[i].start, statics->pieces[i].bytes, statics->pieces[i].count);
}

/* Adds the variable that holds the byte, unless it is there already. False when there is no room
 * for another. */
static bool add_place(const ls_source_place *place, ls_source_place *places, uint32_t *count,
                      uint32_t max)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(places[i].function, place->function) == 0 && places[i].line == place->line)
            return true;
    if (*count == max)
        return false;
    places[(*count)++] = *place;
    return true;
}

uint32_t ls_statics_find(const ls_statics *a, const ls_statics *b, ls_sources *sources,
                         ls_source_place *places, uint32_t max)
{
    uint32_t count = 0;
    LS_ASSERT(a->count == b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct piece *of = &a->pieces[i];
        for (size_t at = 0; at < of->count; at++) {
            ls_source_place place;
            if (of->bytes[at] != b->pieces[i].bytes[at] &&
                ls_sources_variable(sources, a->inside, (uintptr_t)of->start + at, &place) &&
                !add_place(&place, places, &count, max))
                return max + 1;
        }
    }
    return count;
}

void ls_statics_print(const ls_statics *a, const ls_statics *b, ls_sources *sources, uint32_t max,
                      ls_builder *text)
{
    ls_source_place places[32];
    LS_ASSERT(max <= LS_COUNT_OF(places));
    uint32_t count = ls_statics_find(a, b, sources, places, max);
    for (uint32_t i = 0; i < count && i < max; i++)
        ls_builder_add(text, "%s%s", i ? ", " : "", places[i].function);
    if (count > max)
        ls_builder_add(text, " and more");
}
