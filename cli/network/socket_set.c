#include "cli/network/socket_set.h"

#include "cli/common/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct ls_socket_set {
    int file;
    uint32_t count;
    struct epoll_event events[];
};

static ls_status fail(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_IO, "cannot wait for sockets: %s", strerror(errno));
}

ls_status ls_socket_set_create(uint32_t count, ls_socket_set **set, ls_error *error)
{
    *set = NULL;
    int file = epoll_create1(EPOLL_CLOEXEC);
    if (file < 0)
        return fail(error);
    *set = ls_alloc(sizeof **set + count * sizeof(*set)->events[0]);
    (*set)->file = file;
    (*set)->count = count;
    return LS_OK;
}

void ls_socket_set_destroy(ls_socket_set *set)
{
    if (!set)
        return;
    close(set->file);
    ls_free(set);
}

ls_status ls_socket_set_add(ls_socket_set *set, int descriptor, uint32_t number, ls_error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    LS_ASSERT(number < set->count);
    return epoll_ctl(set->file, EPOLL_CTL_ADD, descriptor, &event) == 0 ? LS_OK : fail(error);
}

void ls_socket_set_remove(ls_socket_set *set, int descriptor, uint32_t number)
{
    (void)number;
    (void)epoll_ctl(set->file, EPOLL_CTL_DEL, descriptor, NULL);
}

void ls_socket_set_wait(ls_socket_set *set, uint64_t timeout_ns)
{
    struct pollfd file = {.fd = set->file, .events = POLLIN};
    const struct timespec time = {.tv_sec = (time_t)(timeout_ns / LS_SECOND_NS),
                                  .tv_nsec = (long)(timeout_ns % LS_SECOND_NS)};
    (void)ppoll(&file, 1, &time, NULL);
}

bool ls_socket_set_look(ls_socket_set *set, uint32_t timeout_ms, uint8_t *flags)
{
    int count = epoll_wait(set->file, set->events, (int)set->count, (int)timeout_ms);
    for (int i = 0; i < count; i++)
        flags[set->events[i].data.u32] = 1;
    return count > 0;
}
