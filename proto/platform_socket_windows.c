/* proto/platform_socket.h on Windows. A descriptor is a SOCKET as an int: Windows uses only 32 bits
 * of a handle. */
#include "proto/platform_socket.h"

#include "proto/endpoint.h"

#include <errno.h>
#include <mswsock.h>
#include <windows.h>

#ifndef SIO_UDP_CONNRESET
#define SIO_UDP_CONNRESET _WSAIOW(IOC_VENDOR, 12)
#endif

static void set_option(int descriptor, int level, int option, int value)
{
    (void)setsockopt((SOCKET)descriptor, level, option, (const char *)&value, sizeof value);
}

/* Without the call of WSAIoctl(), an ICMP message about a datagram that was sent would be an error
 * of the next receive. */
static int open_family(int family)
{
    u_long on = 1;
    BOOL tells_resets = FALSE;
    DWORD unused;
    ls_net_begin();
    SOCKET opened = WSASocketW(family, SOCK_DGRAM, 0, NULL, 0, WSA_FLAG_NO_HANDLE_INHERIT);
    if (opened == INVALID_SOCKET)
        return ls_net_error();
    if (ioctlsocket(opened, (long)FIONBIO, &on) != 0) {
        int code = ls_net_error();
        closesocket(opened);
        return code;
    }
    (void)WSAIoctl(opened, SIO_UDP_CONNRESET, &tells_resets, sizeof tells_resets, NULL, 0, &unused,
                   NULL, NULL);
    return (int)opened;
}

static int bind_address(int descriptor, const ls_address *own, int family)
{
    ls_endpoint end;
    ls_endpoint_from_address(own, family, &end);
    return bind((SOCKET)descriptor, &end.any, ls_endpoint_bytes(family)) == 0 ? 0 : ls_net_error();
}

int ls_socket_open(const ls_socket_config *config)
{
    int descriptor = open_family(config->family);
    if (descriptor < 0)
        return descriptor;
    if (config->family == AF_INET6)
        set_option(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, !config->is_dual);
    /* Otherwise another program could take over the port. */
    set_option(descriptor, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
    int code = bind_address(descriptor, &config->own, config->family);
    if (code != 0) {
        ls_socket_close(descriptor);
        return code;
    }
    set_option(descriptor, SOL_SOCKET, SO_RCVBUF, (int)config->buffer_bytes);
    set_option(descriptor, SOL_SOCKET, SO_SNDBUF, (int)config->buffer_bytes);
    return descriptor;
}

void ls_socket_close(int descriptor)
{
    closesocket((SOCKET)descriptor);
}

ls_address ls_socket_own(int descriptor)
{
    ls_endpoint end;
    socklen_t bytes = sizeof end;
    LS_ASSERT(getsockname((SOCKET)descriptor, &end.any, &bytes) == 0);
    return ls_endpoint_address(&end);
}

bool ls_socket_filter(int descriptor)
{
    (void)descriptor;
    return false;
}

static uint32_t option_bytes(int descriptor, int option)
{
    int value = 0, bytes = sizeof value;
    (void)getsockopt((SOCKET)descriptor, SOL_SOCKET, option, (char *)&value, &bytes);
    return value > 0 ? (uint32_t)value : 0;
}

ls_socket_buffers ls_socket_get_buffers(int descriptor)
{
    return (ls_socket_buffers){.receive_bytes = option_bytes(descriptor, SO_RCVBUF),
                               .send_bytes = option_bytes(descriptor, SO_SNDBUF)};
}

static bool connect_to(int descriptor, const ls_address *address, int family)
{
    ls_endpoint end;
    ls_endpoint_from_address(address, family, &end);
    return connect((SOCKET)descriptor, &end.any, ls_endpoint_bytes(family)) == 0;
}

/* Connecting a UDP socket only looks up the route. */
bool ls_socket_has_route(const ls_address *address)
{
    int family = ls_address_is_ipv4(address) ? AF_INET : AF_INET6;
    int descriptor = open_family(family);
    if (descriptor < 0)
        return false;
    bool is_reached = connect_to(descriptor, address, family);
    ls_socket_close(descriptor);
    return is_reached;
}

/* A bell is a socket that is connected to itself over loopback, because Windows waits for sockets
 * with one call and for other objects with another. Nothing else can send to it. */
int ls_bell_open(void)
{
    const ls_address loopback = LS_ADDRESS_IPV4(127, 0, 0, 1, 0);
    int bell = open_family(AF_INET);
    if (bell < 0)
        return bell;
    int code = bind_address(bell, &loopback, AF_INET);
    const ls_address own = code == 0 ? ls_socket_own(bell) : loopback;
    if (code == 0 && connect_to(bell, &own, AF_INET))
        return bell;
    ls_socket_close(bell);
    return code != 0 ? code : -EIO;
}

void ls_bell_close(int bell)
{
    if (bell >= 0)
        ls_socket_close(bell);
}

void ls_bell_ring(int bell)
{
    if (bell >= 0)
        (void)send((SOCKET)bell, "", 1, 0);
}

bool ls_socket_wait(int descriptor, int bell, uint32_t timeout_ms)
{
    WSAPOLLFD wanted[] = {{.fd = (SOCKET)descriptor, .events = POLLRDNORM},
                          {.fd = (SOCKET)bell, .events = POLLRDNORM}};
    int timeout = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
    char rings[64];
    if (WSAPoll(wanted, bell >= 0 ? 2 : 1, timeout) <= 0)
        return false;
    while (wanted[1].revents && recv((SOCKET)bell, rings, sizeof rings, 0) > 0)
        ;
    return wanted[0].revents != 0;
}
