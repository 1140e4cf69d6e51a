/* Waits for many sockets at once. On Linux the cost depends only on those that have packets.
 *   thread  one at a time */
#ifndef LS_SOCKET_SET_H
#define LS_SOCKET_SET_H

#include <lockstep/base.h>

typedef struct ls_socket_set ls_socket_set;

/* Opens a set of up to `count` sockets.
 *   errors  IO: the system has no descriptor
 *   owns    ls_socket_set_destroy(), which also takes NULL */
ls_status ls_socket_set_create(uint32_t count, ls_socket_set **set, ls_error *error) LS_MUST_USE;
void ls_socket_set_destroy(ls_socket_set *set);

/* Adds a socket under a number, 0..count-1. If another socket has that number, the caller closes it
 * next.
 *   errors  IO: the system has no memory for it */
ls_status ls_socket_set_add(ls_socket_set *set, int descriptor, uint32_t number,
                            ls_error *error) LS_MUST_USE;
/* Takes the socket of that number out of the set; call it before the socket is closed. */
void ls_socket_set_remove(ls_socket_set *set, int descriptor, uint32_t number);

/* Waits until a socket can be read, or for `timeout_ns`. */
void ls_socket_set_wait(ls_socket_set *set, uint64_t timeout_ns);
/* Waits until a socket can be read, or for `timeout_ms`, and sets flags[number] of each one that
 * can; the other flags stay. Returns whether there is one. */
bool ls_socket_set_look(ls_socket_set *set, uint32_t timeout_ms, uint8_t *flags);

#endif
