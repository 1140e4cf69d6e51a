#include "cli/module/elf_check.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

typedef ElfW(Ehdr) header;
typedef ElfW(Phdr) segment;

static bool is_within(uint64_t offset, uint64_t bytes, uint64_t file_bytes)
{
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

static bool segments_are_there(FILE *file, const header *head, uint64_t file_bytes)
{
    for (uint32_t i = 0; i < head->e_phnum; i++) {
        segment part;
        uint64_t offset = head->e_phoff + (uint64_t)i * sizeof part;
        if (!is_within(offset, sizeof part, file_bytes) ||
            fseek(file, (long)offset, SEEK_SET) != 0 || fread(&part, sizeof part, 1, file) != 1 ||
            !is_within(part.p_offset, part.p_filesz, file_bytes))
            return false;
    }
    return true;
}

bool ls_elf_is_whole(const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return true;
    header head;
    bool is_whole = true;
    if (fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
        head.e_phentsize == sizeof(segment) && fseek(file, 0, SEEK_END) == 0) {
        long bytes = ftell(file);
        is_whole = bytes >= 0 && segments_are_there(file, &head, (uint64_t)bytes);
    }
    fclose(file);
    return is_whole;
}
