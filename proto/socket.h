/* Options, filter, waiting and waking of a link's UDP socket. Private to proto/. */
#ifndef LS_SOCKET_H
#define LS_SOCKET_H

#include <lockstep/base.h>

/* Drops in the kernel datagrams that our peers never send: a payload under 2 bytes (an empty one
 * ends ENet's receive loop) or over 1300, and source port 0. False where the system has no such
 * filter: the receiver then does the same work. */
bool ls_socket_filter(int descriptor);

/* The SO_RCVBUF or SO_SNDBUF that the system granted. */
uint32_t ls_socket_buffer_bytes(int descriptor, int option);

/* Something that another thread can end a wait with; -1 when the system has none left. */
int ls_wake_open(void);
void ls_wake_close(int wake);
/* thread: any. Stays until the next wait. */
void ls_wake_ring(int wake);

/* Waits until the socket is readable, `wake` was rung (-1: none), a signal came, or the time is
 * over; true when the socket is readable. */
bool ls_socket_wait(int descriptor, int wake, uint32_t timeout_ms);

#endif
