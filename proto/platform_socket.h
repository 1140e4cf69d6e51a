/* UDP sockets of the system, waiting for one, and waking the waiter. The sources are
 * platform_socket_posix.c with platform_socket_linux.c, or platform_socket_windows.c. Private to
 * proto/.
 *   errors  -errno, also on Windows */
#ifndef LS_PLATFORM_SOCKET_H
#define LS_PLATFORM_SOCKET_H

#include <lockstep/address.h>

typedef struct ls_socket_config {
    int family;            /* AF_INET or AF_INET6 */
    bool is_dual;          /* AF_INET6 only: carries IPv4 too */
    ls_address own;        /* host zeros: all interfaces; port 0: any free one */
    uint32_t buffer_bytes; /* requested size of the system's buffers; the system may grant less */
} ls_socket_config;

/* Opens a socket that never blocks, and binds it. Returns its descriptor. The system stamps the
 * arrivals of datagrams, where it can (proto/platform_batch.h). */
int ls_socket_open(const ls_socket_config *config) LS_MUST_USE;
void ls_socket_close(int descriptor);
/* Returns the address that the socket is bound to. */
ls_address ls_socket_own(int descriptor);

/* Makes the kernel drop datagrams that our peers never send: payloads under 2 bytes or over 1300,
 * and source port 0. (An empty datagram ends ENet's receive loop.) False where the system has no
 * such filter: the receiver then drops them itself. */
bool ls_socket_filter(int descriptor);

/* The sizes of the buffers that the system granted; 0: unknown. */
typedef struct ls_socket_buffers {
    uint32_t receive_bytes, send_bytes;
} ls_socket_buffers;
ls_socket_buffers ls_socket_get_buffers(int descriptor);

/* True when this machine has a route to the address. Sends nothing. */
bool ls_socket_has_route(const ls_address *address);

/* A bell ends the wait of another thread. Opening returns -errno when the system has none left; the
 * other functions accept that value and do without a bell. */
int ls_bell_open(void);
void ls_bell_close(int bell);
/* Ends the current wait, or the next one when no thread waits.
 *   thread  any */
void ls_bell_ring(int bell);

/* Waits until the socket is readable, the bell was rung, a signal arrived, or the time is over.
 * True when the socket is readable.
 *   shape   bell: negative for none */
bool ls_socket_wait(int descriptor, int bell, uint32_t timeout_ms);

#endif
