#include "cli/module/module_file.h"

#include "test.h"

#include <elf.h>

static size_t read_own_binary(char *bytes, size_t capacity)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    fclose(file);
    return count;
}

TEST(test_module_file_finds_truncated_files)
{
    static char bytes[256];
    assert_true(ls_module_file_is_whole("/proc/self/exe"));
    test_folder folder;
    test_folder_make(&folder);
    const char *path = test_path(&folder, "half.so");
    size_t count = read_own_binary(bytes, sizeof bytes);
    for (size_t cut = 64; cut <= count; cut += 3) {
        test_file_write(path, bytes, cut);
        assert_false(ls_module_file_is_whole(path));
    }
    test_folder_remove(&folder, (const char *const[]){"half.so"}, 1);
}

TEST(test_module_file_leaves_the_rest_to_the_loader)
{
    test_folder folder;
    test_folder_make(&folder);
    const char *path = test_path(&folder, "text.so");
    for (size_t count = 0; count < 200; count += 20) {
        char text[200];
        memset(text, 'x', sizeof text);
        test_file_write(path, text, count);
        assert_true(ls_module_file_is_whole(path));
    }
    assert_true(ls_module_file_is_whole("/no/such/file"));
    test_folder_remove(&folder, (const char *const[]){"text.so"}, 1);
}

static void put(uint8_t *to, uint32_t value, uint32_t count, bool is_big)
{
    for (uint32_t i = 0; i < count; i++)
        to[is_big ? count - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void make_header(uint8_t header[LS_MODULE_FILE_HEADER_BYTES], uint16_t machine, bool is_64,
                        bool is_big, uint32_t flags)
{
    memset(header, 0, LS_MODULE_FILE_HEADER_BYTES);
    memcpy(header, ELFMAG, SELFMAG);
    header[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
    header[EI_DATA] = is_big ? ELFDATA2MSB : ELFDATA2LSB;
    put(header + 18, machine, 2, is_big);
    put(header + (is_64 ? 48 : 36), flags, 4, is_big);
}

TEST(test_module_file_names_machines)
{
    const struct {
        uint16_t machine;
        bool is_64, is_big;
        uint32_t flags;
        const char *name;
    } cases[] = {
        {EM_X86_64, true, false, 0, "x86-64"},
        {EM_X86_64, false, false, 0, "x32"},
        {EM_386, false, false, 0, "x86"},
        {EM_AARCH64, true, false, 0, "aarch64"},
        {EM_AARCH64, true, true, 0, "aarch64, big-endian"},
        {EM_ARM, false, false, 0x5000400, "arm, hard float"},
        {EM_ARM, false, false, 0x5000200, "arm, soft float"},
        {EM_ARM, false, true, 0x5000200, "arm, big-endian, soft float"},
        {EM_RISCV, true, false, 5, "riscv64, double float"},
        {EM_RISCV, true, false, 1, "riscv64, soft float"},
        {EM_S390, true, true, 0, "s390x, big-endian"},
        {EM_PPC64, true, false, 2, "ppc64"},
        {EM_PPC64, true, true, 1, "ppc64, big-endian"},
        {65535, true, true, 0xffffffff, "machine 65535 of 64 bits, big-endian"},
    };
    uint8_t header[LS_MODULE_FILE_HEADER_BYTES];
    char text[LS_MODULE_FILE_MACHINE_BYTES];
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        make_header(header, cases[i].machine, cases[i].is_64, cases[i].is_big, cases[i].flags);
        assert_true(ls_module_file_machine(header, sizeof header, text));
        assert_string_equal(text, cases[i].name);
        assert_false(ls_module_file_machine(header, 51, text));
    }
}

TEST(test_module_file_finds_foreign_files)
{
    char bytes[LS_MODULE_FILE_HEADER_BYTES], text[LS_MODULE_FILE_MACHINE_BYTES],
        own[LS_MODULE_FILE_MACHINE_BYTES];
    assert_false(ls_module_file_is_foreign("/proc/self/exe", text, own));
    assert_false(ls_module_file_is_foreign("/no/such/file", text, own));
    test_folder folder;
    test_folder_make(&folder);
    const char *path = test_path(&folder, "other.so");
    assert_int_equal(read_own_binary(bytes, sizeof bytes), sizeof bytes);
    bytes[18]++, bytes[19]++;
    test_file_write(path, bytes, sizeof bytes);
    assert_true(ls_module_file_is_foreign(path, text, own));
    assert_string_not_equal(text, own);
    bytes[0]++;
    test_file_write(path, bytes, sizeof bytes);
    assert_false(ls_module_file_is_foreign(path, text, own));
    test_folder_remove(&folder, (const char *const[]){"other.so"}, 1);
}
