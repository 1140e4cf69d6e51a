/* How a server is created (ls_server_create). */
#ifndef LS_SERVER_CONFIG_H
#define LS_SERVER_CONFIG_H

#include <lockstep/identity.h>
#include <lockstep/jobs.h>
#include <lockstep/link.h>
#include <lockstep/room_config.h>
#include <lockstep/token.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_server ls_server;

/* What happens when somebody comes in a second time under one client id (of a connect token). */
typedef enum ls_login_policy {
    LS_LOGIN_REPLACE = 0, /* the newer session takes the seat over */
    LS_LOGIN_REFUSE,      /* the newer is told that the id is in use */
} ls_login_policy;

/* Start from ls_server_config_default(). What create copies is said; all else outlives the server.
 */
typedef struct ls_server_config {
    const ls_program *program;   /* of all rooms */
    ls_link *link;               /* of a listener; not destroyed by the server */
    ls_jobs *jobs;               /* NULL: jobs run inside the step */
    ls_jobs *disk_jobs;          /* those that wait for the disk; NULL: with the others */
    const ls_identity *identity; /* copied */
    const uint8_t *psk;          /* 32 bytes, copied (ls_handshake_password); NULL: no password */
    const ls_token_key *token_keys; /* of the matchmakers, copied */
    uint32_t token_key_count;       /* at most LS_TOKEN_KEYS_MAX */
    bool require_token;
    const ls_address *addresses; /* by which players reach it, copied, LS_TOKEN_ADDRESSES_MAX at
                                    most: tokens that name others are refused; none: not compared */
    uint32_t address_count;
    ls_login_policy login;
    const ls_entropy *entropy; /* NULL: the system's */
    uint64_t unix_s;           /* wall clock at the first step: certificate, tokens, recordings */

    /* Takes one line `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
    const char
        *build; /* compiler, CPU, system: told to clients, never compared, copied; may be NULL */

    uint32_t peers_max;         /* connections, 1..LS_LINK_PEERS_MAX; the link's own number */
    uint32_t peers_per_address; /* of these of one host, the link's own number; 0: all */
    uint32_t rooms_max;         /* 1..LS_SERVER_ROOMS_MAX */

    /* Asked for a room that a client names, or its token, and that is not open: fills in the config
     * (all but the name), which the room takes over as ls_server_open_room does. NULL: such clients
     * are refused; so they are, unasked, while the simulation of a room is LS_SERVER_BUSY_NS
     * behind. `name` "" when a client that names none finds no seat.
     *   errors  any but LS_OK: the room is refused with the text, which the client reads */
    ls_status (*make_room)(void *context, const char *name, ls_room_config *config,
                           ls_error *error);
    /* Told of a room that has ended and is about to be closed; may be NULL. */
    void (*room_ended)(void *context, ls_room *room);
    void *room_context;
} ls_server_config;

#ifdef __cplusplus
}
#endif

#endif
