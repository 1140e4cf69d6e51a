#include "link_over.h"

#include <lockstep/link_remote.h>

static ls_link *inner_of(const ls_link *link)
{
    return ((const link_over *)link)->inner;
}

bool link_over_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    return ls_link_poll(inner_of(link), now_ns, event);
}

void link_over_flush(ls_link *link, uint64_t now_ns)
{
    ls_link_flush(inner_of(link), now_ns);
}

void link_over_disconnect(ls_link *link, ls_peer peer)
{
    ls_link_disconnect(inner_of(link), peer);
}

bool link_over_wait(ls_link *link, uint32_t timeout_ms)
{
    return ls_link_wait(inner_of(link), timeout_ms);
}

void link_over_wake(ls_link *link)
{
    ls_link_wake(inner_of(link));
}

void link_over_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    ls_link_post(inner_of(link), to, data, bytes);
}

ls_status link_over_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                          uint64_t until_ns)
{
    return ls_link_admit(inner_of(link), remote, carrier, until_ns);
}

ls_status link_over_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    return ls_link_connect(inner_of(link), now_ns, carrier);
}

ls_remote link_over_remote(const ls_link *link, ls_peer peer)
{
    return ls_link_remote(inner_of(link), peer);
}

uint32_t link_over_connections(const ls_link *link, const ls_remote_key *host)
{
    return ls_link_connections(inner_of(link), host);
}

ls_remote_origin link_over_origin(const ls_link *link, const ls_remote *remote)
{
    return ls_link_locate(inner_of(link), remote);
}

void link_over_describe(const ls_link *link, const ls_remote *remote,
                        char text[LS_REMOTE_TEXT_BYTES])
{
    ls_link_describe(inner_of(link), remote, text);
}

ls_link_stats link_over_stats(const ls_link *link)
{
    return ls_link_get_stats(inner_of(link));
}

bool link_over_is_quiet(const ls_link *link)
{
    return ls_link_is_quiet(inner_of(link));
}
