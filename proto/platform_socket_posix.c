/* The part of proto/platform_socket.h that POSIX has. */
#include "proto/platform_socket.h"

#include "proto/endpoint.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Opens a socket that never blocks and that child processes do not inherit. */
static int open_family(int family)
{
    int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return descriptor < 0 ? -errno : descriptor;
}

int ls_socket_open(const ls_socket_config *config)
{
    int descriptor = open_family(config->family);
    if (descriptor < 0)
        return descriptor;
    ls_endpoint end;
    const int only = !config->is_dual, bytes = (int)config->buffer_bytes;
    ls_endpoint_from_address(&config->own, config->family, &end);
    bool is_set = config->family == AF_INET ||
                  setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) == 0;
    if (!is_set || bind(descriptor, &end.any, ls_endpoint_bytes(config->family)) != 0) {
        int code = -errno;
        close(descriptor);
        return code;
    }
    (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
#ifdef SO_TIMESTAMPNS
    const int on = 1;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
#endif
    return descriptor;
}

void ls_socket_close(int descriptor)
{
    close(descriptor);
}

ls_address ls_socket_own(int descriptor)
{
    ls_endpoint end;
    socklen_t bytes = sizeof end;
    LS_ASSERT(getsockname(descriptor, &end.any, &bytes) == 0);
    return ls_endpoint_address(&end);
}

static uint32_t option_bytes(int descriptor, int option)
{
    int value = 0;
    socklen_t bytes = sizeof value;
    (void)getsockopt(descriptor, SOL_SOCKET, option, &value, &bytes);
    return value > 0 ? (uint32_t)value : 0;
}

ls_socket_buffers ls_socket_get_buffers(int descriptor)
{
    return (ls_socket_buffers){.receive_bytes = option_bytes(descriptor, SO_RCVBUF),
                               .send_bytes = option_bytes(descriptor, SO_SNDBUF)};
}

/* Connecting a UDP socket only looks up the route. */
bool ls_socket_has_route(const ls_address *address)
{
    int family = ls_address_is_ipv4(address) ? AF_INET : AF_INET6;
    int descriptor = open_family(family);
    ls_endpoint end;
    if (descriptor < 0)
        return false;
    ls_endpoint_from_address(address, family, &end);
    bool is_reached = connect(descriptor, &end.any, ls_endpoint_bytes(family)) == 0;
    close(descriptor);
    return is_reached;
}

bool ls_socket_wait(int descriptor, int bell, uint32_t timeout_ms)
{
    struct pollfd wanted[] = {{.fd = descriptor, .events = POLLIN}, {.fd = bell, .events = POLLIN}};
    int timeout = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
    if (poll(wanted, bell >= 0 ? 2 : 1, timeout) <= 0)
        return false;
    uint64_t rings;
    if (wanted[1].revents)
        (void)!read(bell, &rings, sizeof rings);
    return wanted[0].revents != 0;
}
