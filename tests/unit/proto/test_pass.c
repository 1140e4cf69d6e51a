#include "test.h"

#include <lockstep/pass.h>

#define NOW_S UINT64_C(1800000000)

static ls_pass make_pass(uint32_t addresses, uint8_t server)
{
    uint64_t seed = 1;
    ls_entropy entropy = test_entropy(&seed);
    ls_token_key key;
    ls_token_key_init(&key, 7, &entropy);
    ls_token token = {.not_before_s = NOW_S,
                      .expiry_s = NOW_S + 60,
                      .client = "player 17",
                      .rights = LS_TOKEN_PLAY,
                      .address_count = addresses,
                      .server = {{server}}};
    test_fill(&seed, token.addresses, addresses * sizeof token.addresses[0]);
    uint8_t bytes[LS_TOKEN_BYTES];
    assert_ok(ls_token_issue(&key, &entropy, &token, bytes));
    ls_pass pass;
    ls_pass_init(&pass, &token, bytes);
    assert_memory_equal(pass.psk, token.psk, sizeof token.psk);
    assert_memory_equal(pass.token, bytes, sizeof bytes);
    assert_int_equal(pass.has_server_key, server != 0);
    return pass;
}

TEST(test_pass_text_round_trip)
{
    for (uint32_t addresses = 0; addresses <= LS_TOKEN_ADDRESSES_MAX; addresses++) {
        ls_pass pass = make_pass(addresses, (uint8_t)(addresses % 2)), parsed;
        char text[LS_PASS_TEXT_BYTES];
        ls_pass_format(&pass, text);
        assert_int_equal(strlen(text), LS_PASS_TEXT_BYTES - 1);
        assert_memory_equal(text, "lockstep pass 1\n", 16);
        assert_true(ls_pass_parse(text, &parsed));
        assert_memory_equal(&parsed, &pass, sizeof pass);
    }
}

static bool refuses(const char *text)
{
    ls_pass pass, zeros;
    memset(&zeros, 0, sizeof zeros);
    memset(&pass, 1, sizeof pass);
    return !ls_pass_parse(text, &pass) && memcmp(&pass, &zeros, sizeof zeros) == 0;
}

/* Formatting an accepted text gives the same text: each pass has exactly one text. */
TEST(test_pass_text_is_canonical)
{
    ls_pass pass = make_pass(1, 1), parsed;
    char text[LS_PASS_TEXT_BYTES], again[LS_PASS_TEXT_BYTES];
    ls_pass_format(&pass, text);
    uint32_t taken = 0;
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (int byte = 1; byte < 256; byte++) {
            char before = text[at];
            text[at] = (char)byte;
            if (ls_pass_parse(text, &parsed)) {
                ls_pass_format(&parsed, again);
                assert_string_equal(text, again);
                taken++;
            }
            text[at] = before;
        }
    }
    assert_true(taken > 588); /* texts with another token, psk, key or address */
}

TEST(test_pass_text_has_to_be_whole)
{
    ls_pass pass = make_pass(1, 1);
    char text[LS_PASS_TEXT_BYTES + 1];
    ls_pass_format(&pass, text);
    assert_false(refuses(text));
    for (size_t count = 0; count < LS_PASS_TEXT_BYTES - 1; count++) {
        char cut[LS_PASS_TEXT_BYTES];
        memcpy(cut, text, count);
        cut[count] = 0;
        assert_true(refuses(cut));
    }
    strcat(text, "\n");
    assert_true(refuses(text));
}

/* The last characters of the text hold the unused addresses and their count. */
TEST(test_pass_without_a_token_is_none)
{
    ls_pass pass = make_pass(4, 0);
    char text[LS_PASS_TEXT_BYTES];
    pass.token[4] = 9; /* a token of another version */
    ls_pass_format(&pass, text);
    assert_true(refuses(text));
    pass = make_pass(0, 0);
    ls_pass_format(&pass, text);
    assert_int_equal(text[LS_PASS_TEXT_BYTES - 3], 'A');
    text[LS_PASS_TEXT_BYTES - 3] = 'B'; /* a byte of an unused address is not 0 */
    assert_true(refuses(text));
}

TEST(test_pass_file_is_private)
{
    char folder[64], path[96];
    test_directory_make(folder);
    snprintf(path, sizeof path, "%s/pass", folder);
    ls_pass pass = make_pass(2, 1), loaded;
    ls_error error;
    assert_int_equal(ls_pass_load(path, &loaded, &error), LS_ERROR_NOT_FOUND);
    assert_ok(ls_pass_save(path, &pass, &error));
    assert_ok(ls_pass_load(path, &loaded, &error));
    assert_memory_equal(&loaded, &pass, sizeof pass);
    assert_int_equal(ls_pass_save(path, &pass, &error), LS_ERROR_REFUSED);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(ls_pass_load(path, &loaded, &error), LS_ERROR_REFUSED);
    assert_int_equal(chmod(path, 0600), 0);
    test_file_write(path, "lockstep pass 2\n", 16);
    assert_int_equal(ls_pass_load(path, &loaded, &error), LS_ERROR_CORRUPT);
    ls_pass zeros = {0};
    assert_memory_equal(&loaded, &zeros, sizeof zeros);
    test_directory_remove(folder);
}
