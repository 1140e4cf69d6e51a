#include "cli/join/trust.h"

#include "test.h"

static const ls_server_address address = {.host = "example.org", .port = 7777};
static const ls_public_key first = {{1}}, second = {{2}};

TEST(test_trust_remembers_the_first_key)
{
    test_folder folder;
    test_folder_make(&folder);
    ls_trust trust;
    ls_trust_init(&trust, &address, test_path(&folder, "known"));
    assert_ok(ls_trust_check(&trust, &first, NULL));
    assert_true(trust.is_new);
    assert_ok(ls_trust_check(&trust, &first, NULL));
    assert_int_equal(access(folder.file, F_OK), -1); /* written only after a successful handshake */
    assert_ok(ls_trust_remember(&trust, NULL));
    assert_ok(ls_trust_remember(&trust, NULL));

    ls_trust_init(&trust, &address, folder.file);
    assert_ok(ls_trust_check(&trust, &first, NULL));
    assert_false(trust.is_new);
    ls_trust_init(&trust, &address, folder.file);
    ls_error error;
    assert_int_equal(ls_trust_check(&trust, &second, &error), LS_ERROR_REFUSED);
    assert_int_equal(trust.refusal, LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "changed"));
    test_folder_remove(&folder, (const char *const[]){"known"}, 1);
}

TEST(test_trust_holds_a_given_key)
{
    ls_server_address pinned = address;
    pinned.has_key = true;
    pinned.key = first;
    ls_trust trust;
    ls_trust_init(&trust, &pinned, "/no/such/folder/known");
    assert_ok(ls_trust_check(&trust, &first, NULL));
    assert_ok(ls_trust_remember(&trust, NULL)); /* writes nothing */
    ls_trust_init(&trust, &pinned, "/no/such/folder/known");
    assert_int_equal(ls_trust_check(&trust, &second, NULL), LS_ERROR_REFUSED);
}

TEST(test_trust_wants_one_key_from_all_connections)
{
    test_folder folder;
    test_folder_make(&folder);
    ls_trust trust;
    ls_trust_init(&trust, &address, test_path(&folder, "known"));
    assert_ok(ls_trust_check(&trust, &first, NULL));
    assert_int_equal(ls_trust_check(&trust, &second, NULL), LS_ERROR_REFUSED);
    test_folder_remove(&folder, NULL, 0);
}
