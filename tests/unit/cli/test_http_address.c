#include "cli/serve/http_address.h"

#include "test.h"

static void takes(const char *text, const char *host, uint16_t port, bool is_v6)
{
    ls_http_address address;
    ls_error error = {""};
    assert_int_equal(ls_http_address_parse("--http", text, &address, &error), LS_OK);
    assert_string_equal(address.host, host);
    assert_int_equal(address.port, port);
    assert_int_equal(address.is_v6, is_v6);
}

TEST(test_http_address_takes_ports_and_addresses)
{
    takes("9100", "127.0.0.1", 9100, false);
    takes("0", "127.0.0.1", 0, false);
    takes("0.0.0.0:65535", "0.0.0.0", 65535, false);
    takes("10.1.2.3:80", "10.1.2.3", 80, false);
    takes("[::1]:9100", "::1", 9100, true);
    takes("[::]:9100", "::", 9100, true);
}

TEST(test_http_address_refuses_the_rest)
{
    static const char *const bad[] = {
        "",
        ":",
        ":80",
        "65536",
        "-1",
        "localhost:80",
        "::1:80",
        "[::1]",
        "[::1]80",
        "[]:80",
        "[127.0.0.1]:80",
        "1.2.3:80",
        "[:80",
        "1.2.3.4:",
        "1.2.3.4:x",
        "1.2.3.4:1:2",
        "1111111111111111111111111111111111111111111111111111111111111111111111:1"};
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++) {
        ls_http_address address;
        ls_error error = {""};
        assert_int_equal(ls_http_address_parse("--http", bad[i], &address, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "--http takes PORT or ADDR:PORT"));
    }
}

static bool has_host(const char *listen, const char *host)
{
    ls_http_address address;
    ls_error error;
    assert_int_equal(ls_http_address_parse("--http", listen, &address, &error), LS_OK);
    return ls_http_address_has_host(&address, host);
}

TEST(test_http_address_knows_its_hosts)
{
    static const char *const own[] = {"localhost",      "localhost:9100", "127.0.0.1",
                                      "127.0.0.1:9100", "127.0.0.1:80",   "[::1]",
                                      "[::1]:9100",     "[0::0:1]:9100"};
    static const char *const ports[] = {"9100", "[::1]:9100", "10.1.2.3:80", "0.0.0.0:80"};
    for (size_t i = 0; i < LS_COUNT_OF(ports); i++)
        for (size_t k = 0; k < LS_COUNT_OF(own); k++)
            assert_true(has_host(ports[i], own[k]));
    assert_true(has_host("10.1.2.3:80", "10.1.2.3"));
    assert_true(has_host("[fd00::1]:80", "[fd00:0::1]:80"));
    assert_true(has_host("0.0.0.0:80", "10.1.2.3:80")); /* any address of this machine */
    assert_true(has_host("[::]:80", "[fd00::1]:80"));
}

TEST(test_http_address_refuses_hosts_of_others)
{
    static const char *const other[] = {"",
                                        ":",
                                        ":80",
                                        "80",
                                        "attacker.example",
                                        "attacker.example:9100",
                                        "localhost.attacker.example",
                                        "127.0.0.1.attacker.example",
                                        "attacker.example:127.0.0.1",
                                        "localhost:80:80",
                                        "localhost:",
                                        "localhost:x",
                                        "localhost:-1",
                                        "localhost:65536",
                                        "localhost@attacker.example",
                                        "localhost attacker.example",
                                        "localhost,attacker.example",
                                        "localhos",
                                        "localhost.",
                                        "127.1",
                                        "2130706433",
                                        "0x7f.0.0.1",
                                        "::1",
                                        "[::1",
                                        "[::1]attacker.example",
                                        "[]",
                                        "[]:80",
                                        "[",
                                        "[127.0.0.1]",
                                        "[localhost]"};
    static const char *const ports[] = {"9100", "[::1]:80", "10.1.2.3:80", "0.0.0.0:80", "[::]:80"};
    for (size_t i = 0; i < LS_COUNT_OF(ports); i++)
        for (size_t k = 0; k < LS_COUNT_OF(other); k++)
            assert_false(has_host(ports[i], other[k]));
    assert_false(has_host("9100", "127.0.0.2"));
    assert_false(has_host("9100", "0.0.0.0"));
    assert_false(has_host("[::1]:9100", "[::]"));
    assert_false(has_host("10.1.2.3:80", "10.1.2.4"));
    assert_false(has_host("10.1.2.3:80", "[a01:203::]")); /* the same first bytes */
}

static void is_loopback(const char *listen, bool is)
{
    ls_http_address address;
    ls_error error;
    assert_int_equal(ls_http_address_parse("--http", listen, &address, &error), LS_OK);
    assert_int_equal(ls_http_address_is_loopback(&address), is);
}

TEST(test_http_address_knows_loopback)
{
    is_loopback("9100", true);
    is_loopback("127.255.0.1:9100", true);
    is_loopback("[::1]:9100", true);
    is_loopback("0.0.0.0:9100", false);
    is_loopback("10.1.2.3:9100", false);
    is_loopback("[::]:9100", false);
    is_loopback("[7f00::1]:9100", false);
}
