/* The HTTP port in a build without libwebsockets. */
#include "cli/serve/http.h"

ls_status ls_http_open(const ls_http_config *config, ls_http **http, ls_error *error)
{
    *http = NULL;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s: this build has no HTTP: on Linux install libwebsockets (Debian: "
                        "libwebsockets-dev) and build again; on Windows there is none",
                        config->option);
}

void ls_http_close(ls_http *http)
{
    (void)http;
}

uint16_t ls_http_port(const ls_http *http)
{
    (void)http;
    return 0;
}
