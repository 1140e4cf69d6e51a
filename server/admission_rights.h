/* The rights to enter: bans, and the rights of a connect token. Both may change while the server
 * runs. */
#ifndef LS_ADMISSION_RIGHTS_H
#define LS_ADMISSION_RIGHTS_H

#include "server/server_state.h"

/* Whether a client with this authenticated identity may enter; *room is the room that it asks for.
 *   errors  REFUSED: a ban, or a right that its token lacks; the text is for its user */
ls_status ls_admission_rights_check(const ls_server *server, const ls_handshake_auth *auth,
                                    const ls_remote *remote, const char **room,
                                    ls_error *error) LS_MUST_USE;

/* Refuses all while the server stops. While it hands its matches over, players may return to the
 * matches that are still here; while it takes matches over, clients without a seat here wait.
 *   errors  REFUSED; LIMIT, with pending->put_off */
ls_status ls_admission_rights_check_process(const ls_server *server, ls_pending *pending,
                                            ls_error *error) LS_MUST_USE;
/* Writes an ACCEPT that opens no session: the client is to ask at the successor's address. False
 * when the server forwards to no successor, the client has a seat here, or it cannot follow. */
bool ls_admission_rights_forward(const ls_server *server, ls_handshake_auth *auth,
                                 const ls_pending *pending, ls_writer *reply);

/* Whether a client at this remote is banned; `client` as for ls_admission_ban. */
bool ls_admission_rights_is_banned(const ls_server *server, const ls_remote *remote,
                                   const char *client);

/* From now on the server accepts the tokens that these keys seal, at most LS_TOKEN_KEYS_MAX of
 * them. Sessions stay. */
void ls_admission_set_token_keys(ls_server *server, const ls_token_key *keys, uint32_t count);
/* From now on `is_banned` is asked for each client that has proved its address; NULL: none is
 * banned. Sessions stay. `client` is the client id of its token, "" without a token. */
typedef bool ls_admission_ban(void *context, const ls_remote *remote, const char *client);
void ls_admission_set_ban(ls_server *server, ls_admission_ban *is_banned, void *context);

#endif
