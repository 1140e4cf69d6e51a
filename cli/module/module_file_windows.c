#include "cli/module/module_file.h"

#include <lockstep/base.h>

#include <stdio.h>
#include <windows.h>

enum { SECTIONS_MAX = 96 }; /* as in the loader */

static bool read_at(FILE *file, uint64_t at, void *bytes, size_t count)
{
    return fseek(file, (long)at, SEEK_SET) == 0 && fread(bytes, 1, count, file) == count;
}

/* Whether all sections of a PE file are in the file. */
static bool is_whole(FILE *file, uint64_t length)
{
    IMAGE_DOS_HEADER begin;
    IMAGE_NT_HEADERS64 headers;
    if (!read_at(file, 0, &begin, sizeof begin) || begin.e_magic != IMAGE_DOS_SIGNATURE)
        return true; /* no PE file: the loader says so */
    if (begin.e_lfanew < 0 || !read_at(file, (uint64_t)begin.e_lfanew, &headers, sizeof headers))
        return false;
    uint64_t at = (uint64_t)begin.e_lfanew + offsetof(IMAGE_NT_HEADERS64, OptionalHeader) +
                  headers.FileHeader.SizeOfOptionalHeader;
    uint32_t count = headers.FileHeader.NumberOfSections;
    for (uint32_t i = 0; i < count && i < SECTIONS_MAX; i++, at += sizeof(IMAGE_SECTION_HEADER)) {
        IMAGE_SECTION_HEADER section;
        if (!read_at(file, at, &section, sizeof section) ||
            (uint64_t)section.PointerToRawData + section.SizeOfRawData > length)
            return false;
    }
    return true;
}

bool ls_module_file_is_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    bool is_good = fseek(file, 0, SEEK_END) == 0;
    long length = is_good ? ftell(file) : -1;
    is_good = length < 0 || is_whole(file, (uint64_t)length);
    fclose(file);
    return is_good;
}

static const char *name_machine(WORD machine)
{
    switch (machine) {
    case IMAGE_FILE_MACHINE_AMD64:
        return "x86-64";
    case IMAGE_FILE_MACHINE_I386:
        return "x86, 32 bits";
    case IMAGE_FILE_MACHINE_ARM64:
        return "arm, 64 bits";
    default:
        return "unknown";
    }
}

bool ls_module_file_is_foreign(const char *path, char file[LS_MODULE_FILE_MACHINE_BYTES],
                               char own[LS_MODULE_FILE_MACHINE_BYTES])
{
    IMAGE_DOS_HEADER begin;
    struct {
        DWORD signature;
        WORD machine;
    } head;
    FILE *stream = fopen(path, "rb");
    bool is_known = stream && read_at(stream, 0, &begin, sizeof begin) &&
                    begin.e_magic == IMAGE_DOS_SIGNATURE && begin.e_lfanew >= 0 &&
                    read_at(stream, (uint64_t)begin.e_lfanew, &head, 6) &&
                    head.signature == IMAGE_NT_SIGNATURE;
    if (stream)
        fclose(stream);
    if (!is_known || head.machine == IMAGE_FILE_MACHINE_AMD64)
        return false;
    snprintf(file, LS_MODULE_FILE_MACHINE_BYTES, "%s", name_machine(head.machine));
    snprintf(own, LS_MODULE_FILE_MACHINE_BYTES, "%s", name_machine(IMAGE_FILE_MACHINE_AMD64));
    return true;
}
