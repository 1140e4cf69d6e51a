/* The definitions are weak where the system has weak ones, so that a statically linked libenet
 * keeps its own. */
#include "proto/enet_socket.h"

#include "proto/enet_library.h"
#include "proto/platform_library.h"
#include <lockstep/limits.h>

#include <stdatomic.h>
#include <string.h>

static _Thread_local ls_enet_socket *current;
static _Thread_local bool
    *probe; /* not NULL while a host is created only to see whether ENet calls our functions */

/* The library's function of this name, cast to its type. */
#define LIBRARY(name_) ((__typeof__(&name_))library_function(&found_##name_, #name_))

/* Relaxed: every thread stores the same pointer, to a function that was loaded before the threads
 * started. */
static void *library_function(_Atomic(void *) *found, const char *name)
{
    void *function = atomic_load_explicit(found, memory_order_relaxed);
    if (function)
        return function;
    function = ls_library_function(name);
    LS_ASSERT(function);
    atomic_store_explicit(found, function, memory_order_relaxed);
    return function;
}

static bool is_ours(ENetSocket number)
{
    return current && current->udp && ls_udp_file(current->udp) == (int)number;
}

void ls_enet_socket_use(ls_enet_socket *socket)
{
    current = socket;
}

void ls_enet_socket_set_time(ls_enet_socket *socket, uint64_t now_ns)
{
    if (socket->udp)
        ls_udp_set_time(socket->udp, now_ns);
}

bool ls_enet_socket_is_effective(void)
{
    bool was_asked = false;
    probe = &was_asked;
    ENetHost *host = enet_host_create(NULL, 1, 1, 0, 0);
    probe = NULL;
    if (host)
        enet_host_destroy(host);
    return was_asked;
}

static _Atomic(void *) found_enet_socket_create, found_enet_socket_bind,
    found_enet_socket_get_address, found_enet_socket_set_option, found_enet_socket_destroy,
    found_enet_socket_send, found_enet_socket_receive;

LS_REPLACES ENetSocket enet_socket_create(ENetSocketType type)
{
    if (probe) {
        *probe = true;
        return ENET_SOCKET_NULL;
    }
    if (!current || !current->udp || current->is_given)
        return LIBRARY(enet_socket_create)(type);
    current->is_given = true;
    return (ENetSocket)ls_udp_file(current->udp);
}

LS_REPLACES int enet_socket_bind(ENetSocket number, const ENetAddress *address)
{
    return is_ours(number) ? 0 : LIBRARY(enet_socket_bind)(number, address);
}

LS_REPLACES int enet_socket_get_address(ENetSocket number, ENetAddress *address)
{
    if (!is_ours(number))
        return LIBRARY(enet_socket_get_address)(number, address);
    *address = (ENetAddress){.host = ENET_HOST_ANY, .port = ls_udp_port(current->udp)};
    return 0;
}

LS_REPLACES int enet_socket_set_option(ENetSocket number, ENetSocketOption option, int value)
{
    return is_ours(number) ? 0 : LIBRARY(enet_socket_set_option)(number, option, value);
}

/* The link closes our own sockets, so only the library's are closed here. */
LS_REPLACES void enet_socket_destroy(ENetSocket number)
{
    if (!is_ours(number))
        LIBRARY(enet_socket_destroy)(number);
}

/* Reports success also for a datagram that cannot be sent: it counts as lost on the network. */
LS_REPLACES int enet_socket_send(ENetSocket number, const ENetAddress *to,
                                 const ENetBuffer *buffers, size_t count)
{
    if (!is_ours(number))
        return LIBRARY(enet_socket_send)(number, to, buffers, count);
    size_t bytes = 0;
    uint8_t data[LS_DATAGRAM_BYTES_MAX];
    for (size_t i = 0; i < count; i++) {
        LS_ASSERT(buffers[i].dataLength <= sizeof data - bytes);
        memcpy(data + bytes, buffers[i].data, buffers[i].dataLength);
        bytes += buffers[i].dataLength;
    }
    if (!current->is_dropped)
        ls_udp_send(current->udp, &current->to, data, (uint32_t)bytes);
    return (int)bytes;
}

/* Gives ENet no address: the gate sets the one that ENet sees. */
LS_REPLACES int enet_socket_receive(ENetSocket number, ENetAddress *from, ENetBuffer *buffers,
                                    size_t count)
{
    if (!is_ours(number))
        return LIBRARY(enet_socket_receive)(number, from, buffers, count);
    ls_udp_datagram datagram;
    if (!ls_udp_receive(current->udp, &datagram))
        return 0;
    LS_ASSERT(count == 1 && datagram.bytes <= buffers[0].dataLength);
    memcpy(buffers[0].data, datagram.data, datagram.bytes);
    current->from = datagram.from;
    current->arrived_ns = datagram.arrived_ns;
    *from = (ENetAddress){0};
    return (int)datagram.bytes;
}
