/* Options and filter of a link's UDP socket; waiting for the socket, and waking the waiter. Private
 * to proto/. */
#ifndef LS_SOCKET_H
#define LS_SOCKET_H

#include <lockstep/base.h>

/* Makes the kernel drop datagrams that our peers never send: payloads under 2 bytes or over 1300,
 * and source port 0. (An empty datagram ends ENet's receive loop.) False where the system has no
 * such filter: the receiver then drops them itself. */
bool ls_socket_filter(int descriptor);

/* Returns the SO_RCVBUF or SO_SNDBUF (`option`) that the system granted. */
uint32_t ls_socket_buffer_bytes(int descriptor, int option);

/* Creates an object with which another thread can end a wait; -1 when the system has none left. */
int ls_wake_open(void);
void ls_wake_close(int wake);
/* Ends the current wait, or the next one when no thread waits.
 *   thread  any */
void ls_wake_ring(int wake);

/* Waits until the socket is readable, `wake` was rung, a signal arrived, or the time is over;
 * `wake` -1: none. True when the socket is readable. */
bool ls_socket_wait(int descriptor, int wake, uint32_t timeout_ms);

#endif
