/* Whether the server has capacity for one more client: a connection, a seat, perhaps a new room.
 * The client has proved its address and key by then, so it may be told the reason.
 *   errors  LS_ERROR_LIMIT: none is free; the text names the limit */
#ifndef LS_CAPACITY_H
#define LS_CAPACITY_H

#include "server/server_state.h"

/* Counts of seats that no session has. */
typedef struct ls_capacity_seats {
    uint32_t open;     /* in open rooms, including those that a grant reserves */
    uint32_t unopened; /* in rooms that clients may still open */
} ls_capacity_seats;

ls_capacity_seats ls_capacity_count_seats(const ls_server *server);
/* Whether a seat in a room (NULL: in any) is taken for a client that has no active session yet:
 * that seat may be free soon. */
bool ls_capacity_may_free_seat(const ls_server *server, const ls_room *room);
/* Whether a room (NULL: any) has a free seat. */
bool ls_capacity_has_seat(const ls_server *server, const ls_room *room);
/* How many of `connections` are reserved for seats: one for each open seat, and one for each seat
 * to come. But the seats to come never leave spectators less than one connection in
 * LS_SERVER_SPECTATORS_PART. */
uint32_t ls_capacity_reserve(uint32_t connections, ls_capacity_seats seats);
/* How many seats the new players of one host may reserve before their CONFIRM. */
uint32_t ls_capacity_unconfirmed(ls_capacity_seats seats);

/* Whether a client of this host may connect, given the open connections and the host's grants. */
ls_status ls_capacity_connection(const ls_server *server, const ls_remote_key *host,
                                 ls_error *error) LS_MUST_USE;
/* Whether a spectator of this host may connect, which must also leave enough connections for the
 * seats. */
ls_status ls_capacity_spectator(const ls_server *server, const ls_remote_key *host,
                                ls_error *error) LS_MUST_USE;
/* Whether a client with this seat may keep the connection that it has. False for a spectator
 * (LS_SEAT_NONE) when seats need its connection: other clients were faster. */
bool ls_capacity_keeps(const ls_server *server, uint32_t seat, const ls_remote_key *host);
/* Whether a new player of this host may reserve a seat, given those that the host's other players
 * have reserved and not confirmed. */
ls_status ls_capacity_seat(const ls_server *server, const ls_remote_key *host,
                           ls_error *error) LS_MUST_USE;
/* Whether a new client of this host will be sent a snapshot soon: the host's budget covers it and
 * all clients of the host that have no world yet. */
ls_status ls_capacity_snapshot(ls_server *server, const ls_entrant *entrant, uint64_t now_ns,
                               ls_error *error) LS_MUST_USE;
/* Whether this host may open a room now: no simulation lags, and the host has not opened too many.
 * `bucket` is the host's. Charges one room. */
ls_status ls_capacity_room(ls_server *server, uint32_t bucket, uint64_t now_ns,
                           ls_error *error) LS_MUST_USE;
/* Refunds a room that was charged and not opened. */
void ls_capacity_return_room(ls_server *server, uint32_t bucket);

#endif
