/* The calls of a lobby over HTTP: list the open rooms, open one, and tell a player where it is,
 * with a connect token. `lockstep lobby` answers them for many servers, `serve --http` for one.
 *   source  docs/operations-fleet.md */
#ifndef LS_LOBBY_CALL_H
#define LS_LOBBY_CALL_H

#include "cli/lobby/lobby_body.h"
#include "cli/lobby/lobby_directory.h"
#include "cli/serve/http_message.h"
#include <lockstep/token.h>

/* The time for which a token admits a player. */
#define LS_LOBBY_TOKEN_S 60

/* A POST that was obeyed. */
typedef struct ls_lobby_note {
    const char *from, *call; /* the address of the HTTP client; "open" or "join" */
    const char *room, *client, *server;
} ls_lobby_note;

typedef struct ls_lobby_calls {
    /* Gives the servers, which stay valid until end(). NULL: none are known now. */
    const ls_lobby_directory *(*begin)(void *context, ls_error *error);
    void (*end)(void *context);
    /* Has a room opened, and tells at which server.
     *   errors  USAGE, REFUSED, LIMIT: no server opens it; IO, FAILED: none could be asked */
    ls_status (*open)(void *context, const ls_lobby_order *order,
                      char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error);
    /* Tells where a room is that was opened so lately that no server lists it. NULL: servers list
     * their rooms at once.
     *   errors  NOT_FOUND, without a text; IO */
    ls_status (*find_new)(void *context, const char *room,
                          char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error);
    /* Notes a POST that was obeyed; NULL is allowed. */
    void (*note)(void *context, const ls_lobby_note *note);
    const ls_token_key *key; /* seals tokens; NULL: there are none */
    void *context;
} ls_lobby_calls;

bool ls_lobby_call_is_here(const char *path);
/* Whether POST is a method of the path. */
bool ls_lobby_call_takes_post(const char *path);
/* Answers a GET or a POST of a path of a lobby.
 *   thread  any; the functions of `calls` are called on it */
void ls_lobby_call_get(const ls_lobby_calls *calls, const char *path, ls_http_answer *answer);
void ls_lobby_call_post(const ls_lobby_calls *calls, const ls_http_post *post,
                        ls_http_answer *answer);
/* Answers with {"error": text}. */
void ls_lobby_call_fail(ls_http_answer *answer, uint32_t code, const char *text);

#endif
