#include "cli/join/client_wait.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include <lockstep/link_enet.h>

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct ls_client_wait_event {
    struct epoll_event event;
};

static ls_status fail(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_IO, "cannot wait for the clients' sockets: %s",
                        strerror(errno));
}

ls_status ls_client_wait_open(ls_client_wait *wait, uint32_t count, ls_error *error)
{
    wait->file = epoll_create1(EPOLL_CLOEXEC);
    if (wait->file < 0)
        return fail(error);
    wait->events = ls_alloc(count * sizeof *wait->events);
    wait->count = count;
    return LS_OK;
}

void ls_client_wait_close(ls_client_wait *wait)
{
    if (wait->events)
        close(wait->file);
    ls_free(wait->events);
    wait->events = NULL;
}

ls_status ls_client_wait_add(ls_client_wait *wait, const ls_link *link, uint32_t number,
                             ls_error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    LS_ASSERT(number < wait->count);
    return epoll_ctl(wait->file, EPOLL_CTL_ADD, ls_link_enet_descriptor(link), &event) == 0
               ? LS_OK
               : fail(error);
}

static bool look(ls_client_wait *wait, uint64_t timeout_ns, uint8_t *flags)
{
    uint64_t timeout_ms = timeout_ns / LS_NS_PER_MS;
    if (timeout_ms > LS_LOOP_WAIT_MS_MAX)
        timeout_ms = LS_LOOP_WAIT_MS_MAX;
    int count = epoll_wait(wait->file, &wait->events->event, (int)wait->count, (int)timeout_ms);
    for (int i = 0; i < count; i++)
        flags[wait->events[i].event.data.u32] = 1;
    return count != 0;
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
