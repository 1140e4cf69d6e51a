/* The compiler options that enter a simulation's source hash. tests/package compares the hash with
 * CMake's. */
#include "cli/module/source_hash.h"
#include "tests/support/test.h"

static uint32_t count_options(const char *option)
{
    ls_source_hash hash = {0};
    ls_source_hash_add_option(&hash, option);
    uint32_t count = hash.option_count;
    ls_source_hash_reset(&hash);
    return count;
}

TEST(test_source_hash_options_that_count)
{
    static const char *const counted[] = {
        "-DA", "-DA=2", "-UA", "-fwrapv", "-fno-signed-char", "-fpack-struct=4"};
    static const char *const others[] = {
        "-O2", "-g", "-DNDEBUG", "-D_GNU_SOURCE",     "-DLS_SIM_SOURCE_HASH=x",
        "-D",  "-f", "-fPIC",    "-ffp-contract=off", "-fwrapvx",
        "",    "D"};
    for (size_t i = 0; i < LS_COUNT_OF(counted); i++)
        assert_int_equal(count_options(counted[i]), 1);
    for (size_t i = 0; i < LS_COUNT_OF(others); i++)
        assert_int_equal(count_options(others[i]), 0);
}

TEST(test_source_hash_is_that_of_sha256)
{
    ls_source_hash hash = {0};
    char text[LS_SHA256_TEXT_BYTES];
    ls_source_hash_get(&hash, text);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ls_error error;
    assert_int_equal(ls_source_hash_add_file(&hash, "/no/such/file", &error), LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "/no/such/file"));
    ls_source_hash_reset(&hash);
}
