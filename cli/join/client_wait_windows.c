#include "cli/join/client_wait.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "proto/platform_net.h"
#include <lockstep/link_enet.h>

/* By number of the link; one that was not added has no socket. */
struct ls_client_wait_event {
    WSAPOLLFD socket;
};

ls_status ls_client_wait_open(ls_client_wait *wait, uint32_t count, ls_error *error)
{
    (void)error;
    *wait = (ls_client_wait){.count = count, .events = ls_alloc(count * sizeof *wait->events)};
    for (uint32_t i = 0; i < count; i++)
        wait->events[i].socket = (WSAPOLLFD){.fd = INVALID_SOCKET, .events = POLLRDNORM};
    return LS_OK;
}

void ls_client_wait_close(ls_client_wait *wait)
{
    ls_free(wait->events);
    wait->events = NULL;
}

ls_status ls_client_wait_add(ls_client_wait *wait, const ls_link *link, uint32_t number,
                             ls_error *error)
{
    (void)error;
    LS_ASSERT(number < wait->count);
    wait->events[number].socket.fd = (SOCKET)ls_link_enet_descriptor(link);
    return LS_OK;
}

static bool look(ls_client_wait *wait, uint64_t timeout_ns, uint8_t *flags)
{
    uint64_t timeout_ms = timeout_ns / LS_NS_PER_MS;
    if (timeout_ms > LS_LOOP_WAIT_MS_MAX)
        timeout_ms = LS_LOOP_WAIT_MS_MAX;
    int count = WSAPoll(&wait->events->socket, wait->count, (int)timeout_ms);
    for (uint32_t i = 0; count > 0 && i < wait->count; i++)
        flags[i] |=
            wait->events[i].socket.revents != 0 && wait->events[i].socket.fd != INVALID_SOCKET;
    return count > 0;
}

void ls_client_wait_for(ls_client_wait *wait, uint64_t wake_ns, uint8_t *flags)
{
    uint64_t now_ns = ls_clock_now_ns(), sleep_ns = now_ns + LS_LOOP_SLEEP_NS;
    bool is_any = look(wait, wake_ns > now_ns ? wake_ns - now_ns : 0, flags);
    now_ns = ls_clock_now_ns();
    if (is_any && sleep_ns < wake_ns)
        ls_clock_sleep_until(sleep_ns);
    else if (wake_ns > now_ns && wake_ns - now_ns < LS_NS_PER_MS)
        ls_clock_sleep_until(wake_ns);
    if (is_any)
        (void)look(wait, 0, flags);
}
