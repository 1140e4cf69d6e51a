/* The lobby of one server: what `serve --lobby` keeps in Redis and obeys from there, and the calls
 * of a lobby on the port of `serve --http`. The network thread is asked as by `lockstep admin`, so
 * no tick waits for Redis. */
#ifndef LS_SERVICE_LOBBY_H
#define LS_SERVICE_LOBBY_H

#include "cli/lobby/lobby_call.h"
#include "cli/serve/service_admin.h"

typedef struct ls_service_lobby ls_service_lobby;

typedef struct ls_service_lobby_config {
    const ls_service_options *options;
    uint16_t port;             /* of players */
    const ls_public_key *key;  /* the server's */
    const ls_token_key *token; /* seals tokens; NULL: none */
    const char *sim;
    ls_service_admin *admin; /* NULL: neither --lobby nor a token for HTTP */
    ls_log *log;
} ls_service_lobby_config;

/* Opens the lobby, and with --lobby begins to register the server. *lobby is NULL without --lobby
 * and --http.
 *   errors  USAGE: players cannot reach the server at the address that it would tell, or this build
 *           has no Redis; IO: no thread. It is no error if Redis does not answer yet
 *   owns    ls_service_lobby_close() by the caller, before ls_service_admin_close(); what the
 *           config points to outlives it */
ls_status ls_service_lobby_open(const ls_service_lobby_config *config, ls_service_lobby **lobby,
                                ls_error *error) LS_MUST_USE;
/* Removes the server from the directory, which takes LS_LOBBY_HEARTBEAT_S at most if Redis answers.
 * NULL is allowed. */
void ls_service_lobby_close(ls_service_lobby *lobby);

/* Answers a GET with the rooms in `metrics`.
 *   thread  that of the HTTP port */
void ls_service_lobby_get(ls_service_lobby *lobby, const ls_metrics *metrics, const char *path,
                          ls_http_answer *answer);
/* Answers a POST.
 *   thread  the one for POST */
void ls_service_lobby_post(ls_service_lobby *lobby, const ls_http_post *post,
                           ls_http_answer *answer);

#endif
