#include "test.h"

#include <lockstep/limits.h>
#include <lockstep/server_address.h>

#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

typedef struct row {
    const char *text, *host;
    uint16_t port;
    bool has_key;
    const char *formatted;
} row;

TEST(test_server_address_reads_every_form)
{
    static const row rows[] = {
        {"play.example.org", "play.example.org", 7777, false, "play.example.org:7777"},
        {"Play.Example.ORG:9", "play.example.org", 9, false, "play.example.org:9"},
        {"192.0.2.1:65535", "192.0.2.1", 65535, false, "192.0.2.1:65535"},
        {"host:7000#" KEY, "host", 7000, true, "host:7000#" KEY},
        {"host#" KEY, "host", 7777, true, "host:7777#" KEY},
        {"[::1]", "::1", 7777, false, "[::1]:7777"},
        {"[2001:DB8::1]:80#" KEY, "2001:db8::1", 80, true, "[2001:db8::1]:80#" KEY},
        {"[fe80::1%eth0]:80", "fe80::1%eth0", 80, false, "[fe80::1%eth0]:80"},
        {"[FE80::A%WLan0]:80", "fe80::a%WLan0", 80, false, "[fe80::a%WLan0]:80"},
    };
    for (size_t i = 0; i < LS_COUNT_OF(rows); i++) {
        ls_server_address address;
        assert_ok(ls_server_address_parse(rows[i].text, &address, NULL));
        assert_string_equal(address.host, rows[i].host);
        assert_int_equal(address.port, rows[i].port);
        assert_int_equal(address.has_key, rows[i].has_key);
        char text[LS_SERVER_ADDRESS_TEXT_BYTES];
        ls_server_address_format(&address, text);
        assert_string_equal(text, rows[i].formatted);
        assert_int_equal(address.has_key ? address.key.bytes[31] : 31, 31);
    }
}

TEST(test_server_address_names_the_error)
{
    static const struct {
        const char *text, *part;
    } rows[] = {{"", "no host"},
                {":7777", "no host"},
                {"#" KEY, "no host"},
                {"host:", "port"},
                {"host:0", "port"},
                {"host:65536", "port"},
                {"host:1x", "port"},
                {"host:000080", "port"},
                {"host:99999999999", "port"},
                {"host:-1", "port"},
                {"ho st", "character"},
                {"host\n", "character"},
                {"h\xc3\xb6st", "character"},
                {"::1", "IPv6"},
                {"[::1", "IPv6"},
                {"[::1]x", "IPv6"},
                {"[host]:1", "IPv6"},
                {"[]:1", "IPv6"},
                {"host:1#", "key"},
                {"host:1#AAAA", "key"},
                {"host:1#" KEY "A", "key"},
                {"host:1#" KEY "#", "key"}};
    for (size_t i = 0; i < LS_COUNT_OF(rows); i++) {
        ls_server_address address = {.port = 1};
        ls_error error;
        assert_int_equal(ls_server_address_parse(rows[i].text, &address, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, rows[i].part));
        assert_int_equal(address.port, 1);
    }
}

TEST(test_server_address_longest_host)
{
    char text[LS_HOST_BYTES + 64];
    memset(text, 'h', sizeof text);
    strcpy(text + LS_HOST_BYTES - 1, ":65535#" KEY);
    ls_server_address address;
    assert_ok(ls_server_address_parse(text, &address, NULL));
    char formatted[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_server_address_format(&address, formatted);
    assert_string_equal(formatted, text);
    memset(text, 'h', sizeof text);
    text[LS_HOST_BYTES] = 0;
    assert_int_equal(ls_server_address_parse(text, &address, NULL), LS_ERROR_USAGE);
    /* With brackets the text is longer still. */
    memset(text, 'a', sizeof text);
    memcpy(text, "[:", 2);
    strcpy(text + LS_HOST_BYTES, "]:65535#" KEY);
    assert_ok(ls_server_address_parse(text, &address, NULL));
    ls_server_address_format(&address, formatted);
    assert_string_equal(formatted, text);
}
