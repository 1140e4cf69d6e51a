#include "test.h"

#include "tests/support/remotes.h"

/* A link whose texts are chosen by someone else, as the header of a proxy is. */
typedef struct quoting_link {
    ls_link link;
    const char *text;
} quoting_link;

static void describe(const ls_link *link, const ls_remote *remote, char text[LS_REMOTE_TEXT_BYTES])
{
    (void)remote;
    memccpy(text, ((const quoting_link *)link)->text, 0, LS_REMOTE_TEXT_BYTES);
}

static ls_remote_origin origin(const ls_link *link, const ls_remote *remote)
{
    (void)link;
    ls_remote_origin result = {.network = {{7}}, .is_local = true};
    memcpy(result.host.bytes, remote->bytes, sizeof result.host.bytes);
    return result;
}

static const ls_link_vtable vtable = {.describe = describe, .origin = origin};

TEST(test_link_remote_describe_writes_one_word)
{
    static const struct {
        const char *given, *expected;
    } cases[] = {
        {"192.0.2.1:40001", "192.0.2.1:40001"},
        {"[2001:db8::1]:7777", "[2001:db8::1]:7777"},
        {"", "?"},
        {"a b\tc", "a?b?c"},
        {"x\nenter peer=1", "x?enter?peer?1"},
        {"\"quoted\\\"", "?quoted??"},
        {"\x1b[2J\x7f", "?[2J?"},
        {"caf\xc3\xa9", "caf??"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const quoting_link link = {.link.vtable = &vtable, .text = cases[i].given};
        char text[LS_REMOTE_TEXT_BYTES];
        memset(text, 'z', sizeof text);
        ls_link_describe(&link.link, &(ls_remote){{1}}, text);
        assert_string_equal(text, cases[i].expected);
    }
}

/* A link that forgets the terminating zero cannot make the text longer. */
TEST(test_link_remote_describe_ends_the_text)
{
    char given[2 * LS_REMOTE_TEXT_BYTES], text[LS_REMOTE_TEXT_BYTES];
    memset(given, 'y', sizeof given);
    given[sizeof given - 1] = 0;
    const quoting_link link = {.link.vtable = &vtable, .text = given};
    ls_link_describe(&link.link, &(ls_remote){{1}}, text);
    assert_int_equal(strlen(text), LS_REMOTE_TEXT_BYTES - 1);
}

TEST(test_link_remote_locate_asks_the_link)
{
    const quoting_link link = {.link.vtable = &vtable};
    const ls_remote_origin first = ls_link_locate(&link.link, &(ls_remote){{1, 2}});
    const ls_remote_origin second = ls_link_locate(&link.link, &(ls_remote){{1, 3}});
    assert_true(first.is_local);
    assert_int_equal(first.host.bytes[1], 2);
    assert_false(ls_remote_key_is_same(&first.host, &second.host));
    assert_true(ls_remote_key_is_same(&first.network, &second.network));
}

/* Each byte of a remote counts, and an address comes back from its remote as it was. */
TEST(test_link_remote_keeps_an_address)
{
    const ls_address address = LS_ADDRESS_IPV4(192, 0, 2, 1, 40001);
    const ls_remote remote = ls_address_to_remote(&address),
                    ipv4 = LS_REMOTE_IPV4(192, 0, 2, 1, 40001);
    const ls_address back = ls_address_of_remote(&remote);
    assert_memory_equal(&back, &address, sizeof address);
    assert_true(ls_remote_is_same(&remote, &ipv4));
    for (uint32_t i = 0; i < LS_REMOTE_BYTES; i++) {
        ls_remote other = remote;
        other.bytes[i] ^= 1;
        assert_false(ls_remote_is_same(&remote, &other));
    }
}
