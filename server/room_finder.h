/* Which room a client enters: its own, the one that it names, or one with a free seat. */
#ifndef LS_ROOM_FINDER_H
#define LS_ROOM_FINDER_H

#include "server/seats.h"
#include "server/server_state.h"

/* The room that a client asks for. */
typedef struct ls_room_wish {
    const ls_handshake_auth *auth;
    const char *name; /* of the room; "": any */
    uint32_t bucket;  /* of the host's budget of rooms */
    uint64_t now_ns;
} ls_room_wish;

/* The seat that the client's resume secret proves; LS_SEAT_NONE when it proves none. */
uint32_t ls_room_finder_own_seat(const ls_seats *seats, const ls_handshake_auth *auth);
/* The seat that the client of a token had last; LS_SEAT_NONE for none. Neither is the seat of a
 * session that reported roots when this client is light, or the other way round. */
uint32_t ls_room_finder_client_seat(const ls_seats *seats, const ls_handshake_auth *auth);
/* The room where a resume secret proves a seat. NULL: none, or that room is still being restored.
 */
ls_room *ls_room_finder_own(const ls_server *server, const ls_handshake_auth *auth);
/* Finds the room for a client, or opens it. Without a name it returns to its former room (*room, by
 * its secret) before free seats are searched: its own seat may be in a full room.
 *   errors  LS_ERROR_LIMIT: no seat or room is free; any of make_room; LS_ERROR_NOT_FOUND: there is
 *           no such room */
ls_status ls_room_finder_find(ls_server *server, const ls_room_wish *wish, ls_room **room,
                              ls_error *error) LS_MUST_USE;

#endif
