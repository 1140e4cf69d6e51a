/* Finds the room that a client enters: the room with its own seat, the one that it names, or one
 * with a free seat. */
#ifndef LS_ROOM_FINDER_H
#define LS_ROOM_FINDER_H

#include "server/seats.h"
#include "server/server_state.h"

/* A client's request for a room. */
typedef struct ls_room_request {
    const ls_handshake_auth *auth;
    const char *name; /* name of the room; "": any */
    uint32_t bucket;  /* bucket of the host, for its budget of rooms */
    uint64_t now_ns;
    bool may_wait; /* set with LS_ERROR_LIMIT: a seat may be free soon */
} ls_room_request;

/* Returns the seat that the client's resume secret proves; LS_SEAT_NONE for none. Here and in the
 * next function, a light client gets back only the seat of a light client, and a client that
 * simulates only the seat of one that simulated. */
uint32_t ls_room_finder_own_seat(const ls_seats *seats, const ls_handshake_auth *auth);
/* Returns the seat that the client of a token had last; LS_SEAT_NONE for none. */
uint32_t ls_room_finder_client_seat(const ls_seats *seats, const ls_handshake_auth *auth);
/* Returns the room where the client's resume secret proves a seat. NULL: none, or that room is
 * being restored. */
ls_room *ls_room_finder_own(const ls_server *server, const ls_handshake_auth *auth);
/* Finds or opens the room for a client. A client that names no room returns to its former room
 * (*room, by its secret) before free seats are searched, because its own seat may be in a room
 * without a free one.
 *   errors  LS_ERROR_LIMIT: no seat or room is free; LS_ERROR_NOT_FOUND: no such room; any of
 *           make_room */
ls_status ls_room_finder_find(ls_server *server, ls_room_request *request, ls_room **room,
                              ls_error *error) LS_MUST_USE;

#endif
