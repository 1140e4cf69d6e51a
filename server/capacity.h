/* Whether the server has capacity for one more client: a connection, and perhaps a new room. Asked
 * only after the client has proved its address and key, so it may read the reason.
 *   errors  LS_ERROR_LIMIT: none is free; the text says of what */
#ifndef LS_CAPACITY_H
#define LS_CAPACITY_H

#include "server/server_state.h"

/* Seats that no session has. */
typedef struct ls_capacity_seats {
    uint32_t open;    /* of open rooms, also those that a pending client holds */
    uint32_t to_come; /* of the rooms that clients may still open */
} ls_capacity_seats;

ls_capacity_seats ls_capacity_count_seats(const ls_server *server);
/* How many of these connections are kept for seats: one for each open seat; and for those to come,
 * unless fewer than one in LS_SERVER_SPECTATORS_PART remain for spectators. */
uint32_t ls_capacity_reserve(uint32_t connections, ls_capacity_seats seats);
/* How many seats the new players of one host may hold before their CONFIRM. */
uint32_t ls_capacity_unconfirmed(ls_capacity_seats seats);

/* A connection for this address, given the open ones and those that its host was granted. */
ls_status ls_capacity_connection(const ls_server *server, const ls_address *address,
                                 ls_error *error) LS_MUST_USE;
/* The same for a spectator, who leaves enough connections for the seats. */
ls_status ls_capacity_spectator(const ls_server *server, const ls_address *address,
                                ls_error *error) LS_MUST_USE;
/* False for a spectator who has connected: other clients were faster, and seats now need its
 * connection. */
bool ls_capacity_keeps_spectator(const ls_server *server, const ls_address *address);
/* A seat for a new player of this host, given those that its other ones hold before a CONFIRM. */
ls_status ls_capacity_seat(const ls_server *server, const ls_address *address,
                           ls_error *error) LS_MUST_USE;
/* Whether this host may open a room now: the simulation keeps up and the host has opened few.
 * `bucket` is that of its AUTHs. Charges one room. */
ls_status ls_capacity_room(ls_server *server, uint32_t bucket, uint64_t now_ns,
                           ls_error *error) LS_MUST_USE;
/* Refunds a room that was charged and not opened. */
void ls_capacity_return_room(ls_server *server, uint32_t bucket);

#endif
