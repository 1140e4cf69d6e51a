/* The HTTP client in a build without libwebsockets. */
#include "cli/serve/http_client.h"

ls_status ls_http_client_open(const ls_http_client_config *config, ls_http_client **client,
                              ls_error *error)
{
    (void)config;
    *client = NULL;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "this build has no HTTP: on Linux install libwebsockets (Debian: "
                        "libwebsockets-dev) and build again; on Windows there is none");
}

void ls_http_client_close(ls_http_client *client)
{
    (void)client;
}

bool ls_http_client_is_busy(const ls_http_client *client, uint32_t slot)
{
    (void)client;
    (void)slot;
    return true;
}

void ls_http_client_begin(ls_http_client *client, uint32_t slot,
                          const ls_http_client_request *request)
{
    (void)client;
    (void)slot;
    (void)request;
}
