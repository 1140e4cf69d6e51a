/* The JSON of a call of a lobby, and of an order from a lobby to a server. It may be hostile. */
#ifndef LS_LOBBY_BODY_H
#define LS_LOBBY_BODY_H

#include "cli/lobby/lobby_entry.h"

/* A body of a call has at most LS_HTTP_BODY_BYTES_MAX bytes, so the wishes fit. */
#define LS_LOBBY_WISHES_BYTES 512

/* A room to be opened. The texts may be hostile, but have no control characters. */
typedef struct ls_lobby_order {
    char room[LS_ROOM_BYTES];
    char sim[LS_LOBBY_SIM_BYTES];       /* "": any */
    char wishes[LS_LOBBY_WISHES_BYTES]; /* as `lockstep admin open` takes them */
    const char *from;                   /* address of the HTTP client */
} ls_lobby_order;
/* The size of the name under which a server answers an order. */
#define LS_LOBBY_REPLY_BYTES 80

typedef struct ls_lobby_body {
    ls_lobby_order order;
    char server[LS_SERVER_ADDRESS_TEXT_BYTES]; /* to join there; "": any */
    char client[LS_CLIENT_ID_BYTES];           /* the player; "": no token */
} ls_lobby_body;

/* Reads {"room": "a", "sim": "skirmish", "seed": 7, "players": 4, "tokens": "required", "options":
 * "units=200", "server": "HOST:PORT#KEY", "client": "anna"}; each may be missing.
 *   errors  LS_ERROR_USAGE names the wrong member; *body is then unspecified */
ls_status ls_lobby_body_read(const char *json, size_t bytes, ls_lobby_body *body,
                             ls_error *error) LS_MUST_USE;

/* Reads what ls_lobby_order_print() writes, from a lobby to a server.
 *   errors  LS_ERROR_USAGE: the text is no order */
ls_status ls_lobby_order_read(const char *json, size_t bytes, ls_lobby_order *order,
                              char reply[LS_LOBBY_REPLY_BYTES], ls_error *error) LS_MUST_USE;
void ls_lobby_order_print(const ls_lobby_order *order, const char *reply, ls_builder *text);

#endif
