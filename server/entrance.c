#include "server/entrance.h"

#include "server/capacity.h"
#include "server/room_finder.h"
#include "server/room_state.h"
#include "server/sessions.h"

#include <string.h>

ls_status ls_entrance_check_newcomer(ls_server *server, const ls_pending *pending, uint64_t now_ns,
                                     ls_error *error)
{
    const ls_entrant *entrant = &pending->entrant;
    ls_status status = LS_OK;
    if (entrant->is_newcomer)
        status = ls_capacity_seat(server, &entrant->host, error);
    if (!status && !entrant->is_light)
        status = ls_capacity_snapshot(server, entrant, now_ns, error);
    return status;
}

ls_status ls_entrance_choose_seat(ls_pending *pending, const ls_handshake_auth *auth,
                                  uint64_t now_ns, ls_error *error)
{
    const ls_room *room = pending->room;
    ls_entrant *entrant = &pending->entrant;
    ls_seats *seats = &pending->room->match.seats;
    entrant->seat = ls_room_finder_own_seat(seats, auth);
    if (entrant->seat == LS_SEAT_NONE && room->server->login == LS_LOGIN_REFUSE &&
        ls_sessions_have_client(room->server, entrant->client, NULL))
        return ls_error_set(error, LS_ERROR_REFUSED, "'%s' is connected already", entrant->client);
    if (auth->flags & LS_HANDSHAKE_SPECTATE) {
        entrant->seat = LS_SEAT_NONE;
        ls_status status = ls_entrance_check_newcomer(room->server, pending, now_ns, error);
        pending->put_off = status ? LS_PUT_OFF_SHARE : LS_PUT_OFF_NOT;
        return status;
    }
    if (entrant->seat == LS_SEAT_NONE)
        entrant->seat = ls_room_finder_client_seat(seats, auth);
    if (entrant->seat != LS_SEAT_NONE && seats->items[entrant->seat].is_taken) {
        entrant->takes_over = true;
        memcpy(entrant->old_secret, seats->items[entrant->seat].secret, sizeof entrant->old_secret);
        return LS_OK;
    }
    entrant->is_newcomer = entrant->seat == LS_SEAT_NONE;
    if (entrant->is_newcomer)
        entrant->seat = ls_seats_find_free(seats);
    if (entrant->seat == LS_SEAT_NONE) {
        if (ls_capacity_may_free_seat(room->server, room))
            pending->put_off = LS_PUT_OFF_SEAT;
        return ls_error_set(error, LS_ERROR_LIMIT, "all seats are taken");
    }
    ls_status status = LS_OK;
    if (entrant->is_newcomer)
        status = ls_entrance_check_newcomer(room->server, pending, now_ns, error);
    pending->put_off = status ? LS_PUT_OFF_SHARE : LS_PUT_OFF_NOT;
    if (!status)
        ls_seats_take(seats, entrant->seat);
    return status;
}

ls_status ls_entrance_check_token(ls_server *server, const ls_handshake_auth *auth,
                                  const ls_pending *pending, ls_error *error)
{
    const ls_room *own = pending->room;
    const char *name = auth->token.room[0] ? auth->token.room : auth->room;
    if (own && !(auth->flags & LS_HANDSHAKE_SPECTATE) && (!name[0] || strcmp(name, own->name) == 0))
        return LS_OK;
    if (auth->token_is_expired)
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token has expired");
    if (!ls_used_tokens_add(&server->tokens, &auth->token, &pending->entrant.host,
                            server->host.now_unix_s))
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the connect token was used from another address");
    return LS_OK;
}
