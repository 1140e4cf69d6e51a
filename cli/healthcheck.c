#include "cli/healthcheck.h"

#include "cli/clock.h"
#include "cli/loop.h"
#include "proto/link_enet.h"

#define PATIENCE_NS (2 * LS_NS_PER_S)

/* True when the link has connected by the moment. */
static bool connects(ls_link *link, uint64_t until_ns)
{
    for (;;) {
        uint64_t now_ns = ls_clock_now_ns();
        ls_link_event event;
        while (ls_link_poll(link, now_ns, &event)) {
            if (event.kind == LS_LINK_CONNECTED) {
                ls_link_disconnect(link, event.peer);
                ls_link_flush(link, now_ns);
                return true;
            }
            if (event.kind == LS_LINK_DISCONNECTED)
                return false;
        }
        ls_link_flush(link, now_ns);
        if (now_ns >= until_ns)
            return false;
        ls_loop_wait(link, until_ns);
    }
}

ls_status ls_healthcheck(const char *host, uint16_t port, ls_error *error)
{
    ls_link *link;
    ls_status status = ls_link_enet_connect(host, port, &link, error);
    if (status)
        return status;
    bool is_healthy = connects(link, ls_clock_now_ns() + PATIENCE_NS);
    ls_link_destroy(link);
    if (is_healthy)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_DIVERGED, "no server answers on %s:%u", host, port);
}
