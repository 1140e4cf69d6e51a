/* Whether the server has capacity for one more client: a connection, and perhaps a new room. Asked
 * only after the client has proved its address and key, so it may read the reason.
 *   errors  LS_ERROR_LIMIT: none is free; the text says of what */
#ifndef LS_CAPACITY_H
#define LS_CAPACITY_H

#include "server/server_state.h"

/* A connection for this address, given the open ones and those that its host was granted. */
ls_status ls_capacity_connection(const ls_server *server, const ls_address *address,
                                 ls_error *error) LS_MUST_USE;
/* Whether this host may open a room now: the simulation keeps up and the host has opened few.
 * `bucket` is that of its AUTHs. Charges one room. */
ls_status ls_capacity_room(ls_server *server, uint32_t bucket, uint64_t now_ns,
                           ls_error *error) LS_MUST_USE;
/* Refunds a room that was charged and not opened. */
void ls_capacity_return_room(ls_server *server, uint32_t bucket);

#endif
