/* `lockstep lobby`: the directory of many servers, read from Redis, behind an HTTP port. */
#ifndef LS_LOBBY_SERVICE_H
#define LS_LOBBY_SERVICE_H

#include "cli/lobby/lobby_redis.h"

/* The directory is as old as this at most, while Redis answers. */
#define LS_LOBBY_REFRESH_MS 500
/* Without Redis the last directory is served for this time. */
#define LS_LOBBY_STALE_S 30

typedef struct ls_lobby_options {
    ls_lobby_redis_place redis;
    const char *http;      /* [ADDR:]PORT */
    const char *token;     /* file with the token for POST; NULL: POST is refused */
    const char *token_key; /* file with the matchmaker's key; NULL: no connect tokens */
    const char *log;
} ls_lobby_options;

/* Serves until a signal asks to stop. Prints "listening HOST:PORT".
 *   errors  USAGE: a wrong address, or this build has no HTTP or Redis; those of the files; IO: the
 *           port, the log. It is no error if Redis does not answer yet */
ls_status ls_lobby_service_run(const ls_lobby_options *options, ls_error *error) LS_MUST_USE;

#endif
