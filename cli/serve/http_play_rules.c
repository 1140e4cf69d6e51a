#include "cli/serve/http_play_rules.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { IPV4_AT = 12 }; /* offset of the IPv4 address in a mapped one */

bool ls_http_play_parse_address(const char *text, ls_address *address)
{
    *address = (ls_address)LS_ADDRESS_IPV4(0, 0, 0, 0, 0);
    return inet_pton(AF_INET, text, address->host + IPV4_AT) == 1 ||
           inet_pton(AF_INET6, text, address->host) == 1;
}

/* Reads the last address of X-Forwarded-For, which the proxy has added. The earlier ones are only
 * what its client says. */
static bool take_forwarded(const char *header, ls_address *client)
{
    const char *comma = strrchr(header, ',');
    const char *begin = comma ? comma + 1 : header;
    char text[LS_ADDRESS_TEXT_BYTES];
    begin += strspn(begin, " ");
    size_t count = strcspn(begin, " ");
    if (count == 0 || count >= sizeof text || begin[count + strspn(begin + count, " ")])
        return false;
    memcpy(text, begin, count);
    text[count] = 0;
    return ls_http_play_parse_address(text, client);
}

static bool is_listed(const ls_http_play_rules *rules, const char *origin)
{
    for (uint32_t i = 0; i < rules->origin_count; i++)
        if (strcasecmp(rules->origins[i], origin) == 0)
            return true;
    return false;
}

/* Whether the page comes from the host that its browser has asked. On a loopback address, the DNS
 * server of another site may have moved its name here. */
static bool is_same_host(const ls_http_play_rules *rules, const ls_http_play_request *request)
{
    const char *scheme = strstr(request->origin, "://");
    if (!scheme || !request->host[0] || strcasecmp(scheme + 3, request->host) != 0)
        return false;
    return !ls_http_address_is_loopback(rules->address) ||
           ls_http_address_has_host(rules->address, request->host);
}

/* Whether the Origin may connect. A program that is no browser sends none, and may. */
static bool may_come(const ls_http_play_rules *rules, const ls_http_play_request *request)
{
    return !request->origin[0] || is_same_host(rules, request) || is_listed(rules, request->origin);
}

static bool is_proxy(const ls_http_play_rules *rules, const ls_address *peer)
{
    ls_address proxy;
    return rules->proxy && ls_http_play_parse_address(rules->proxy, &proxy) &&
           memcmp(&proxy, peer, sizeof proxy) == 0;
}

uint32_t ls_http_play_judge(const ls_http_play_rules *rules, const ls_http_play_request *request,
                            ls_address *client)
{
    if (strcmp(request->path, LS_HTTP_PLAY_PATH) != 0)
        return 404;
    if (!may_come(rules, request))
        return 403;
    if (!ls_http_play_parse_address(request->peer, client))
        return 400;
    if (!is_proxy(rules, client))
        return 0;
    if (rules->proxy_token && !ls_http_token_is_in(rules->proxy_token, request->authorization))
        return 401;
    return take_forwarded(request->forwarded, client) ? 0 : 400;
}
