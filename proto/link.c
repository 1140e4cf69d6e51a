#include <lockstep/link.h>

ls_status ls_link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    return link->vtable->send(link, peer, packet);
}

bool ls_link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    if (!link->vtable->poll(link, now_ns, event))
        return false;
    if (event->arrived_ns == 0 || event->arrived_ns > now_ns)
        event->arrived_ns = now_ns;
    return true;
}

void ls_link_flush(ls_link *link, uint64_t now_ns)
{
    link->vtable->flush(link, now_ns);
}

void ls_link_disconnect(ls_link *link, ls_peer peer)
{
    link->vtable->disconnect(link, peer);
}

bool ls_link_is_quiet(const ls_link *link)
{
    return link->vtable->is_quiet(link);
}

void ls_link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    link->vtable->post(link, to, data, bytes);
}

ls_status ls_link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                        uint64_t until_ns)
{
    return link->vtable->admit(link, remote, carrier, until_ns);
}

uint32_t ls_link_connections(const ls_link *link, const ls_remote_key *host)
{
    return link->vtable->connections(link, host);
}

ls_status ls_link_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    return link->vtable->connect(link, now_ns, carrier);
}

void ls_link_wake(ls_link *link)
{
    link->vtable->wake(link);
}

bool ls_link_wait(ls_link *link, uint32_t timeout_ms)
{
    return link->vtable->wait(link, timeout_ms);
}

ls_remote ls_link_remote(const ls_link *link, ls_peer peer)
{
    return link->vtable->remote(link, peer);
}

ls_link_stats ls_link_get_stats(const ls_link *link)
{
    return link->vtable->stats(link);
}

void ls_link_destroy(ls_link *link)
{
    if (link)
        link->vtable->destroy(link);
}
