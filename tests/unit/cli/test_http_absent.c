#include "cli/serve/http.h"
#include "cli/serve/http_client.h"

#include "test.h"

TEST(test_http_absent_names_the_package)
{
    ls_http *http = (ls_http *)&state;
    ls_error error = {""};
    assert_int_equal(
        ls_http_open(&(ls_http_config){.option = "--http", .listen = "9100"}, &http, &error),
        LS_ERROR_USAGE);
    assert_null(http);
    assert_non_null(strstr(error.text, "--http: this build has no HTTP"));
    assert_non_null(strstr(error.text, "libwebsockets-dev"));
    assert_null(strchr(error.text, '\n'));
    ls_http_close(http);
}

TEST(test_http_absent_has_no_client)
{
    ls_http_client *client = (ls_http_client *)&state;
    ls_error error = {""};
    assert_int_equal(ls_http_client_open(&(ls_http_client_config){.port = 1}, &client, &error),
                     LS_ERROR_USAGE);
    assert_null(client);
    assert_non_null(strstr(error.text, "libwebsockets-dev"));
    ls_http_client_close(client);
}
