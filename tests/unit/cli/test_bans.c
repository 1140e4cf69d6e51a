#include "cli/serve/bans.h"

#include "proto/host_name.h"
#include "test.h"

static test_folder folder;

static ls_ban ban_of(const char *text)
{
    ls_ban ban;
    ls_error error;
    assert_int_equal(ls_ban_parse(text, &ban, &error), LS_OK);
    return ban;
}

static bool covers(const char *text, const char *host, const char *client)
{
    ls_ban ban = ban_of(text);
    const ls_bans bans = {.count = 1, .list = &ban};
    ls_address address;
    assert_true(ls_resolve_numeric(host, 4000, &address));
    return ls_bans_cover(&bans, &address, client);
}

TEST(test_bans_cover_addresses_and_players)
{
    assert_true(covers("192.0.2.7", "192.0.2.7", ""));
    assert_false(covers("192.0.2.7", "192.0.2.6", ""));
    assert_true(covers("192.0.2.7/24", "192.0.2.200", "ada"));
    assert_false(covers("192.0.2.0/24", "192.0.3.0", ""));
    assert_true(covers("192.0.2.128/25", "192.0.2.129", ""));
    assert_false(covers("192.0.2.128/25", "192.0.2.127", ""));
    assert_true(covers("128.0.0.0/1", "255.0.0.1", ""));
    assert_false(covers("128.0.0.0/1", "127.0.0.1", ""));
    assert_true(covers("2001:db8::/32", "2001:db8:1::9", ""));
    assert_false(covers("2001:db8::/33", "2001:db8:8000::9", ""));
    assert_false(covers("2001:db8::/32", "192.0.2.7", ""));
    assert_true(covers("2001:db8:1:2::3", "2001:db8:1:2:ffff::9", "")); /* a host has a /64 */
    assert_false(covers("::/8", "192.0.2.7", ""));
    assert_false(covers("::/64", "192.0.2.7", ""));
    assert_true(covers("client:ada", "192.0.2.7", "ada"));
    assert_false(covers("client:ada", "192.0.2.7", "adam"));
    assert_false(covers("client:ada", "192.0.2.7", ""));
}

TEST(test_bans_have_one_text)
{
    static const char *const texts[][2] = {
        {"192.0.2.7", "192.0.2.7"},          {"192.0.2.7/32", "192.0.2.7"},
        {"192.0.2.7/24", "192.0.2.0/24"},    {"2001:db8::1", "2001:db8::"},
        {"2001:db8::/64", "2001:db8::"},     {"2001:db8::1/128", "2001:db8::1/128"},
        {"2001:db8::1/32", "2001:db8::/32"}, {"client:a b/c", "client:a b/c"}};
    for (size_t i = 0; i < LS_COUNT_OF(texts); i++) {
        char text[LS_BAN_TEXT_BYTES];
        ls_ban ban = ban_of(texts[i][0]);
        ls_ban_format(&ban, text);
        assert_string_equal(text, texts[i][1]);
        const ls_ban again = ban_of(text);
        assert_memory_equal(&again, &ban, sizeof ban);
    }
}

TEST(test_bans_refuse_other_texts)
{
    static const char *const bad[] = {
        "",           "localhost",   "010.0.0.1",    "192.0.2",   "192.0.2.7/0", "192.0.2.7/33",
        "192.0.2.7/", "192.0.2.7/x", "192.0.2.7/+8", "::/0",      "::1/129",     "fe80::1%eth0",
        "client:",    "/8",          "ada",          "192.0.2.7 "};
    ls_ban ban;
    ls_error error;
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        assert_int_equal(ls_ban_parse(bad[i], &ban, &error), LS_ERROR_USAGE);
}

TEST(test_bans_are_added_and_removed_once)
{
    const ls_ban ada = ban_of("client:ada"), host = ban_of("192.0.2.0/24");
    ls_bans none = {0}, one, two, less, bad;
    ls_error error;
    assert_int_equal(ls_bans_add(&none, &ada, &one, &error), LS_OK);
    assert_int_equal(ls_bans_add(&one, &host, &two, &error), LS_OK);
    assert_int_equal(ls_bans_add(&two, &ada, &bad, &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "client:ada is banned already"));
    ls_bans_reset(&bad);
    assert_int_equal(ls_bans_remove(&two, &ada, &less, &error), LS_OK);
    assert_int_equal(less.count, 1);
    assert_int_equal(ls_bans_remove(&less, &ada, &bad, &error), LS_ERROR_NOT_FOUND);
    ls_bans_reset(&bad);
    ls_bans_reset(&one);
    ls_bans_reset(&two);
    ls_bans_reset(&less);
}

TEST(test_bans_have_a_limit)
{
    ls_ban *list = ls_alloc(LS_BANS_MAX * sizeof *list);
    ls_bans full = {.count = LS_BANS_MAX, .list = list}, more;
    const ls_ban ada = ban_of("client:ada");
    ls_error error;
    assert_int_equal(ls_bans_add(&full, &ada, &more, &error), LS_ERROR_LIMIT);
    ls_bans_reset(&more);
    ls_free(list);
}

TEST(test_bans_take_unsaved_ones_of_others)
{
    const ls_ban ada = ban_of("client:ada"), host = ban_of("192.0.2.0/24");
    ls_bans none = {0}, one, two, full = {0};
    assert_ok(ls_bans_add(&none, &ada, &one, NULL));
    assert_ok(ls_bans_add(&one, &host, &two, NULL));
    assert_int_equal(ls_bans_add_unsaved(&one, &two), 0); /* both are in the file */
    ls_bans_mark_unsaved(&two, &host);
    assert_int_equal(ls_bans_add_unsaved(&one, &two), 1);
    assert_int_equal(ls_bans_add_unsaved(&one, &two), 0);
    assert_int_equal(one.count, 2);
    assert_true(ls_bans_have(&one, &host));
    ls_bans_reset(&one);
    full.list = ls_alloc(LS_BANS_MAX * sizeof *full.list);
    full.count = full.capacity = LS_BANS_MAX;
    assert_int_equal(ls_bans_add_unsaved(&full, &two), 0);
    ls_bans_reset(&full);
    ls_bans_mark_saved(&two);
    assert_int_equal(ls_bans_add_unsaved(&none, &two), 0);
    ls_bans_reset(&two);
}

static void write_text(const char *text)
{
    FILE *file = fopen(test_path(&folder, "bans"), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

TEST(test_bans_are_kept_in_a_file)
{
    ls_bans bans, again;
    ls_error error;
    test_folder_make(&folder);
    assert_int_equal(ls_bans_read(test_path(&folder, "bans"), &bans, &error), LS_OK);
    assert_int_equal(bans.count, 0);
    write_text("# mine\n\n 192.0.2.0/24 \r\nclient:ada");
    assert_int_equal(ls_bans_read(test_path(&folder, "bans"), &bans, &error), LS_OK);
    assert_int_equal(bans.count, 2);
    assert_int_equal(ls_bans_write(test_path(&folder, "bans"), &bans, &error), LS_OK);
    assert_int_equal(ls_bans_read(test_path(&folder, "bans"), &again, &error), LS_OK);
    assert_int_equal(again.count, 2);
    assert_memory_equal(again.list, bans.list, 2 * sizeof *bans.list);
    ls_bans_reset(&again);
    ls_bans_reset(&bans);
    write_text("client:ada\nnobody\n");
    assert_int_equal(ls_bans_read(test_path(&folder, "bans"), &bans, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "bans:2: 'nobody' is no address"));
    assert_int_equal(ls_bans_write("/nowhere/bans", &bans, &error), LS_ERROR_IO);
    assert_int_equal(ls_bans_check("/nowhere/bans", &error), LS_ERROR_IO);
    assert_ok(ls_bans_check(test_path(&folder, "bans"), &error));
    assert_ok(ls_bans_check(test_path(&folder, "more"), &error));
    test_folder_remove(&folder, (const char *const[]){"bans"}, 1);
}
