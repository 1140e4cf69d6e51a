#include "cli/module/module_file.h"

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

static const struct {
    uint16_t machine;
    uint8_t word;
    const char *name;
} machines[] = {
    {EM_X86_64, ELFCLASS64, "x86-64"},   {EM_X86_64, ELFCLASS32, "x32"},
    {EM_386, ELFCLASS32, "x86"},         {EM_AARCH64, ELFCLASS64, "aarch64"},
    {EM_ARM, ELFCLASS32, "arm"},         {EM_RISCV, ELFCLASS64, "riscv64"},
    {EM_RISCV, ELFCLASS32, "riscv32"},   {EM_S390, ELFCLASS64, "s390x"},
    {EM_PPC64, ELFCLASS64, "ppc64"},     {EM_PPC, ELFCLASS32, "ppc"},
    {EM_MIPS, ELFCLASS64, "mips64"},     {EM_MIPS, ELFCLASS32, "mips"},
    {EM_SPARCV9, ELFCLASS64, "sparc64"},
};

/* The bits of a RISC-V file's flags that name its float convention; some systems' <elf.h> lack
 * this constant. */
enum { RISCV_FLOATS = 6 };

/* Returns how the file's functions pass floats, if files for the machine may differ in this. */
static const char *float_convention(uint16_t machine, uint32_t flags)
{
    static const char *const of_riscv[] = {", soft float", ", single float", ", double float",
                                           ", quad float"};
    if (machine == EM_ARM && flags & EF_ARM_ABI_FLOAT_HARD)
        return ", hard float";
    if (machine == EM_ARM && flags & EF_ARM_ABI_FLOAT_SOFT)
        return ", soft float";
    return machine == EM_RISCV ? of_riscv[(flags & RISCV_FLOATS) / 2] : "";
}

static uint32_t read_number(const uint8_t *bytes, uint32_t count, bool is_big)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++)
        value = value << 8 | bytes[is_big ? i : count - 1 - i];
    return value;
}

bool ls_module_file_machine(const uint8_t *start, size_t bytes,
                            char text[LS_MODULE_FILE_MACHINE_BYTES])
{
    if (bytes < sizeof(Elf32_Ehdr) || memcmp(start, ELFMAG, SELFMAG) != 0)
        return false;
    uint8_t word = start[EI_CLASS];
    bool is_big = start[EI_DATA] == ELFDATA2MSB;
    uint16_t machine = (uint16_t)read_number(start + offsetof(Elf32_Ehdr, e_machine), 2, is_big);
    size_t flags_at =
        word == ELFCLASS64 ? offsetof(Elf64_Ehdr, e_flags) : offsetof(Elf32_Ehdr, e_flags);
    const char *convention = float_convention(machine, read_number(start + flags_at, 4, is_big));
    const char *order = is_big ? ", big-endian" : "";
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (machines[i].machine == machine && machines[i].word == word) {
            snprintf(text, LS_MODULE_FILE_MACHINE_BYTES, "%s%s%s", machines[i].name, order,
                     convention);
            return true;
        }
    }
    snprintf(text, LS_MODULE_FILE_MACHINE_BYTES, "machine %u of %s bits%s", machine,
             word == ELFCLASS64 ? "64" : "32", order);
    return true;
}

/* The linker's name of this program's own header. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool ls_module_file_is_foreign(const char *path, char file[LS_MODULE_FILE_MACHINE_BYTES],
                               char own[LS_MODULE_FILE_MACHINE_BYTES])
{
    uint8_t start[LS_MODULE_FILE_HEADER_BYTES];
    FILE *from = fopen(path, "rbe");
    if (!from)
        return false;
    size_t count = fread(start, 1, sizeof start, from);
    fclose(from);
    return ls_module_file_machine(start, count, file) &&
           ls_module_file_machine((const uint8_t *)&__ehdr_start, sizeof __ehdr_start, own) &&
           strcmp(file, own) != 0;
}

bool ls_module_file_is_whole(const char *path)
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
