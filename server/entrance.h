/* Judges a client that has proved its address and its key: its token and its seat. The
 * texts of the errors are for the client. */
#ifndef LS_ENTRANCE_H
#define LS_ENTRANCE_H

#include "proto/handshake_server.h"
#include "server/pending.h"
#include "server/server_state.h"

/* Until it expires, a token is valid for the first host that uses it. A client that returns to its
 * seat in `pending->room` may use its token from any host, also after it has expired.
 *   errors  LS_ERROR_REFUSED */
ls_status ls_entrance_check_token(ls_server *server, const ls_handshake_auth *auth,
                                  const ls_pending *pending, ls_error *error) LS_MUST_USE;
/* Chooses a seat for a client and reserves it. A seat that another session still has is taken over
 * only at CONFIRM. Sets `pending->put_off` when the client is to ask again.
 *   errors  LS_ERROR_REFUSED, LS_ERROR_LIMIT: no seat, or none now */
ls_status ls_entrance_choose_seat(ls_pending *pending, const ls_handshake_auth *auth,
                                  uint64_t now_ns, ls_error *error) LS_MUST_USE;
/* Whether a client that has no seat here yet can be let in now: a new player or a spectator.
 *   errors  LS_ERROR_LIMIT */
ls_status ls_entrance_check_newcomer(ls_server *server, const ls_pending *pending, uint64_t now_ns,
                                     ls_error *error) LS_MUST_USE;

#endif
