#include "cli/network/socket_set.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"
#include "proto/platform_net.h"

struct ls_socket_set {
    uint32_t count;
    WSAPOLLFD sockets[]; /* by number; one that was not added has no socket */
};

ls_status ls_socket_set_create(uint32_t count, ls_socket_set **set, ls_error *error)
{
    (void)error;
    ls_net_begin();
    *set = ls_alloc(sizeof **set + count * sizeof(*set)->sockets[0]);
    (*set)->count = count;
    for (uint32_t i = 0; i < count; i++)
        (*set)->sockets[i] = (WSAPOLLFD){.fd = INVALID_SOCKET, .events = POLLRDNORM};
    return LS_OK;
}

void ls_socket_set_destroy(ls_socket_set *set)
{
    ls_free(set);
}

ls_status ls_socket_set_add(ls_socket_set *set, int descriptor, uint32_t number, ls_error *error)
{
    (void)error;
    LS_ASSERT(number < set->count);
    set->sockets[number].fd = (SOCKET)descriptor;
    return LS_OK;
}

void ls_socket_set_remove(ls_socket_set *set, int descriptor, uint32_t number)
{
    if (set->sockets[number].fd == (SOCKET)descriptor)
        set->sockets[number].fd = INVALID_SOCKET;
}

/* The part below a millisecond is slept without listening. */
void ls_socket_set_wait(ls_socket_set *set, uint64_t timeout_ns)
{
    uint64_t end_ns = ls_monotonic_ns() + timeout_ns;
    if (WSAPoll(set->sockets, set->count, (int)(timeout_ns / LS_NS_PER_MS)) == 0)
        ls_clock_sleep_until(end_ns);
}

bool ls_socket_set_look(ls_socket_set *set, uint32_t timeout_ms, uint8_t *flags)
{
    int count = WSAPoll(set->sockets, set->count, (int)timeout_ms);
    for (uint32_t i = 0; count > 0 && i < set->count; i++)
        flags[i] |= set->sockets[i].fd != INVALID_SOCKET && set->sockets[i].revents != 0;
    return count > 0;
}
