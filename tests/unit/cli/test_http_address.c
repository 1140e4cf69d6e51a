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

static void test_http_address_takes_ports_and_addresses(void **state)
{
    takes("9100", "127.0.0.1", 9100, false);
    takes("0", "127.0.0.1", 0, false);
    takes("0.0.0.0:65535", "0.0.0.0", 65535, false);
    takes("10.1.2.3:80", "10.1.2.3", 80, false);
    takes("[::1]:9100", "::1", 9100, true);
    takes("[::]:9100", "::", 9100, true);
}

static void test_http_address_refuses_the_rest(void **state)
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

int main(void)
{
    return RUN_TESTS(test_http_address_takes_ports_and_addresses,
                     test_http_address_refuses_the_rest);
}
