/* The configuration of a server (ls_server_create). */
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

/* The rule for a second session with the same client id (of a connect token). */
typedef enum ls_login_policy {
    LS_LOGIN_REPLACE = 0, /* the newer session gets the seat */
    LS_LOGIN_REFUSE,      /* the newer session is refused */
} ls_login_policy;

/* Start from ls_server_config_default(). The server copies members marked `copied`; all other
 * pointers must outlive it. */
typedef struct ls_server_config {
    const ls_program *program;   /* simulation of all rooms */
    ls_link *link;               /* a listening link; the caller destroys it */
    ls_jobs *jobs;               /* NULL: jobs run inside the step, which then waits for them */
    ls_jobs *disk_jobs;          /* for jobs that wait for the disk; NULL: use `jobs` */
    const ls_identity *identity; /* copied */
    const uint8_t *psk;          /* 32 bytes, copied (ls_handshake_password); NULL: no password */
    const ls_token_key *token_keys; /* keys of the accepted matchmakers, copied */
    uint32_t token_key_count;       /* at most LS_TOKEN_KEYS_MAX */
    bool require_token;
    /* Public addresses of the server, copied, at most LS_TOKEN_ADDRESSES_MAX. Tokens for other
     * addresses are refused; without any address, all tokens are accepted. */
    const ls_address *addresses;
    uint32_t address_count;
    ls_login_policy login;
    const ls_entropy *entropy; /* source of random secrets; NULL: the system's */
    uint64_t unix_s; /* wall clock at the first step, for certificate, tokens and recordings */

    /* Receives one line `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
    /* Compiler, CPU and system: sent to clients, never compared, copied; may be NULL. */
    const char *build;

    uint32_t peers_max; /* connections, 1..LS_LINK_PEERS_MAX; the link must have the same value */
    uint32_t connections_per_host; /* connections of one host; the link must have the same value; 0:
                                   no limit */
    /* Handshakes of new clients that the server processes per host and second,
     * 1..LS_SERVER_AUTHS_PER_S. Above the default, the limit on HELLOs of a network rises in
     * proportion. */
    uint32_t auths_per_host;
    /* Whole snapshots that the clients of one host are sent in a minute, after the first
     * LS_SERVER_LOADS_PER_HOST, 1..LS_LINK_PEERS_MAX. A new client that would find none left is put
     * off. */
    uint32_t snapshots_per_host;
    /* Bytes of snapshots that the clients of one host are sent in a second,
     * LS_SERVER_EGRESS_MIN..LS_SERVER_SNAPSHOT_BYTES_ALL. */
    uint32_t snapshot_bytes_per_host;
    /* Rooms that the clients of one host may open in a minute, after the first
     * LS_SERVER_ROOMS_PER_HOST, 1..LS_SERVER_ROOMS_MAX. */
    uint32_t rooms_per_host;
    /* For load tests: admits clients that do not simulate. They play without a root and are never
     * judged. */
    bool allows_light;
    /* Names of the options in the caller's program that raise the limit of the same name, and of
     * the one that allows light clients: sent to clients that meet a limit, and logged. NULL: none.
     */
    const char *peers_remedy, *connections_per_host_remedy, *auths_per_host_remedy;
    const char *snapshots_per_host_remedy, *rooms_per_host_remedy, *light_remedy;
    uint32_t rooms_max; /* 1..LS_SERVER_ROOMS_MAX */
    /* Limits the bytes per second that all sessions are sent. Ticks and control messages go first;
     * snapshots and missed ticks use the rest, snapshots of one host at most half of the limit.
     * Each packet counts LS_SERVER_EGRESS_PACKET_BYTES more than its own bytes.
     * LS_SERVER_EGRESS_MIN..UINT32_MAX; 0: no limit. */
    uint64_t egress_bytes_per_s;

    /* Opens a room on request of a client or its token: fills in the config without the name; the
     * room then owns it as in ls_server_open_room(). `name` is "" if the client names no room and
     * no open room has a free seat. Not called while any room's simulation lags by
     * LS_SERVER_BUSY_NS. NULL: such clients are refused.
     *   errors  any error refuses the client; the text is shown to its user */
    ls_status (*make_room)(void *context, const char *name, ls_room_config *config,
                           ls_error *error);
    /* Called when a room has ended, before it is closed; may be NULL. */
    void (*room_ended)(void *context, ls_room *room);
    void *room_context;
} ls_server_config;

#ifdef __cplusplus
}
#endif

#endif
