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

/* When a client id (of a connect token) comes a second time. */
typedef enum ls_login_policy {
    LS_LOGIN_REPLACE = 0, /* the newer session takes the seat over */
    LS_LOGIN_REFUSE,      /* the newer session is refused */
} ls_login_policy;

/* Start from ls_server_config_default(). Create copies the members that say so; all others outlive
 * the server. */
typedef struct ls_server_config {
    const ls_program *program;   /* of all rooms */
    ls_link *link;               /* of a listener; not destroyed by the server */
    ls_jobs *jobs;               /* NULL: jobs run inside the step */
    ls_jobs *disk_jobs;          /* for jobs that wait for the disk; NULL: `jobs` */
    const ls_identity *identity; /* copied */
    const uint8_t *psk;          /* 32 bytes, copied (ls_handshake_password); NULL: no password */
    const ls_token_key *token_keys; /* of the matchmakers, copied */
    uint32_t token_key_count;       /* at most LS_TOKEN_KEYS_MAX */
    bool require_token;
    const ls_address
        *addresses; /* the server's public addresses, copied, at most LS_TOKEN_ADDRESSES_MAX:
                       refuses tokens for others; none: accepts any */
    uint32_t address_count;
    ls_login_policy login;
    const ls_entropy *entropy; /* NULL: the system's */
    uint64_t unix_s;           /* wall clock at the first step: certificate, tokens, recordings */

    /* Receives one line `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
    const char
        *build; /* compiler, CPU, system: told to clients, never compared, copied; may be NULL */

    uint32_t peers_max;         /* connections, 1..LS_LINK_PEERS_MAX; as the link has it */
    uint32_t peers_per_address; /* of one host, as the link has it; 0: no limit */
    /* New clients of one host that are looked at in a second, 1..LS_SERVER_AUTHS_PER_S. Above the
     * default the HELLOs of a network rise in proportion. */
    uint32_t auths_per_address;
    /* The option or setting that raises each of these three in the caller's program: told to
     * clients that meet the limit, and logged. NULL: not said. */
    const char *peers_remedy, *peers_per_address_remedy, *auths_per_address_remedy;
    uint32_t rooms_max; /* 1..LS_SERVER_ROOMS_MAX */
    /* Limits what all sessions are sent: snapshots and missed ticks take what ticks and control
     * messages leave, and one host gets at most half of it for snapshots. Each packet counts
     * LS_SERVER_EGRESS_PACKET_BYTES more than its bytes. LS_SERVER_EGRESS_LEAST..UINT32_MAX; 0: no
     * limit */
    uint64_t egress_bytes_per_s;

    /* Fills in the config (without the name) of a room that a client or its token asks for and
     * that is not open; the room then owns it as in ls_server_open_room(). `name` is "" for a
     * client without a name that finds no seat. Not called while a room's simulation lags by
     * LS_SERVER_BUSY_NS. NULL: such clients are refused.
     *   errors  any: refuses the client, who reads the text */
    ls_status (*make_room)(void *context, const char *name, ls_room_config *config,
                           ls_error *error);
    /* Called when a room has ended, before it closes; may be NULL. */
    void (*room_ended)(void *context, ls_room *room);
    void *room_context;
} ls_server_config;

#ifdef __cplusplus
}
#endif

#endif
