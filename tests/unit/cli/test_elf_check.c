#include "cli/module/elf_check.h"

#include "test.h"

static size_t read_own_binary(char *bytes, size_t capacity)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    fclose(file);
    return count;
}

static void test_elf_check_finds_truncated_files(void **state)
{
    static char bytes[256];
    assert_true(ls_elf_is_whole("/proc/self/exe"));
    test_folder folder;
    test_folder_make(&folder);
    const char *path = test_path(&folder, "half.so");
    size_t count = read_own_binary(bytes, sizeof bytes);
    for (size_t cut = 64; cut <= count; cut += 3) {
        test_file_write(path, bytes, cut);
        assert_false(ls_elf_is_whole(path));
    }
    test_folder_remove(&folder, (const char *const[]){"half.so"}, 1);
}

static void test_elf_check_leaves_the_rest_to_the_loader(void **state)
{
    test_folder folder;
    test_folder_make(&folder);
    const char *path = test_path(&folder, "text.so");
    for (size_t count = 0; count < 200; count += 20) {
        char text[200];
        memset(text, 'x', sizeof text);
        test_file_write(path, text, count);
        assert_true(ls_elf_is_whole(path));
    }
    assert_true(ls_elf_is_whole("/no/such/file"));
    test_folder_remove(&folder, (const char *const[]){"text.so"}, 1);
}

int main(void)
{
    return RUN_TESTS(test_elf_check_finds_truncated_files,
                     test_elf_check_leaves_the_rest_to_the_loader);
}
