#include "cli/serve/service_options_check.h"

#include "cli/common/async_writer.h"

#include <stdlib.h>
#include <string.h>

static void check_retention(const ls_argument_state *state, const ls_service_options *service)
{
    const ls_retention_limits *limits = &service->retention;
    if (ls_retention_has_limits(limits) && !service->record)
        ls_argument_fail(state, "--keep-%s deletes recordings, so it needs --record DIR",
                         limits->days    ? "days"
                         : limits->bytes ? "bytes"
                                         : "free");
}

static void check_web(const ls_argument_state *state, const ls_service_options *service)
{
    ls_address proxy;
    if (service->has_web && !service->http)
        ls_argument_fail(state, "--web lets players join by HTTP, so it needs --http");
    if ((service->web_origin_count || service->http_proxy) && !service->has_web)
        ls_argument_fail(state, "--web-origin and --http-proxy are for players by HTTP, so they "
                                "need --web");
    if (service->http_proxy_token && !service->http_proxy)
        ls_argument_fail(state,
                         "--http-proxy-token is what a proxy sends, so it needs --http-proxy");
    if (service->http_token && service->http_proxy_token &&
        strcmp(service->http_token, service->http_proxy_token) == 0)
        ls_argument_fail(state,
                         "--http-proxy-token and --http-token name one file: the proxy would "
                         "have the rights of an administrator; give it a token of its own");
    if (service->http_proxy && !ls_http_play_parse_address(service->http_proxy, &proxy))
        ls_argument_fail(state,
                         "--http-proxy takes an address in numbers, such as 127.0.0.1, not "
                         "'%.200s'",
                         service->http_proxy);
}

static void check_rooms(const ls_argument_state *state, const ls_service_options *service)
{
    if (!service->rooms && !service->rooms_max)
        ls_argument_fail(state, "--rooms 0 needs --rooms-max: without it no room ever opens");
    if (service->rooms_max && service->rooms > service->rooms_max)
        ls_argument_fail(state, "--rooms %u are more than --rooms-max %u", service->rooms,
                         service->rooms_max);
}

void ls_service_options_check(const ls_argument_state *state, ls_service_options *service)
{
    const char *agones_port = getenv("AGONES_SDK_HTTP_PORT");
    service->has_agones |= agones_port && agones_port[0];
    check_rooms(state, service);
    if (service->identity && service->has_temporary_identity)
        ls_argument_fail(state, "--identity and --temporary-identity exclude each other");
    if (service->log_max && service->log_max < LS_ASYNC_WRITER_FILE_BYTES_MIN)
        ls_argument_fail(state, "--log-max: give at least %d bytes",
                         LS_ASYNC_WRITER_FILE_BYTES_MIN);
    if (service->takes_over && !service->resume)
        ls_argument_fail(state, "--take-over continues the matches of a folder, so it needs "
                                "--resume DIR");
    if (service->resume && !service->record)
        service->record = service->resume;
    if (service->http_token && !service->http)
        ls_argument_fail(state, "--http-token is for actions by HTTP, so it needs --http");
    if (service->redis_password && !service->lobby)
        ls_argument_fail(state, "--redis-password-file is for Redis, so it needs --lobby");
    check_web(state, service);
    if (service->site && !(service->http && service->record))
        ls_argument_fail(state, "--site shows recordings by HTTP, so it needs --http and --record");
    if (service->broadcast && !service->record)
        ls_argument_fail(state, "--broadcast-dir publishes recordings, so it needs --record DIR");
    if (service->broadcast_delay_s && !service->broadcast)
        ls_argument_fail(state, "--broadcast-delay needs --broadcast-dir");
    check_retention(state, service);
    if (service->on_finished && !service->record)
        ls_argument_fail(state, "--on-finished gets recordings, so it needs --record DIR");
}
