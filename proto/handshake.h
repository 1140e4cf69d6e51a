/* The handshake: four messages that give both sides the same keys, prove the server's identity to
 * the client, and refuse who speaks another version or runs another simulation before any state
 * exists. Pure functions over the caller's structs: no socket, clock or file. Shapes and key
 * schedule: proto/handshake_internal.h; Noise NKpsk0 in spirit. The first byte of every message has
 * bit 6 set, which no ENet datagram has, so that they can also travel outside a connection.
 *
 *   client                                       server
 *   client_hello  -- HELLO, 1200 bytes -->       server_hello: stateless, answers COOKIE or REJECT
 *   client_cookie <-- COOKIE --                  (certificate of the session key by the identity)
 *   client_auth   -- AUTH, 640 bytes -->         server_auth: who it is; then server_accept
 *   client_accept <-- ACCEPT --                  or ls_handshake_reject
 *   then the sealed CONFIRM of proto/message.h, before which the server sends nothing else. */
#ifndef LS_HANDSHAKE_H
#define LS_HANDSHAKE_H

#include "core/match.h"
#include "proto/identity.h"
#include "proto/seal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one side is. Version and fingerprint must be equal on both; the texts are only reported, and
 * a character that is no printable UTF-8 becomes '?'. */
typedef struct ls_handshake_local {
    uint32_t engine_version; /* of the tick rules */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    char simulation[LS_SIMULATION_TEXT_BYTES]; /* name and version */
    char build[LS_BUILD_TEXT_BYTES];           /* compiler, CPU, system */
} ls_handshake_local;

/* A message that came in. `address` is the sender's, as ls_link_address gives it; `now_ns` is the
 * server's monotonic clock. The client looks at data and bytes only. */
typedef struct ls_handshake_message {
    const uint8_t *data;
    size_t bytes;
    const char *address;
    uint64_t now_ns;
} ls_handshake_message;

enum { LS_HANDSHAKE_SPECTATE = 1, LS_HANDSHAKE_BOT = 2 }; /* flags of a client */
#define LS_HANDSHAKE_PLAYER_NONE 255

/* Why a server says no. */
typedef enum ls_reject_code {
    LS_REJECT_VERSION = 1, /* protocol or engine */
    LS_REJECT_SIMULATION,
    LS_REJECT_FULL,
    LS_REJECT_POLICY, /* not wanted now: the match is over */
    LS_REJECT_CODE_COUNT,
} ls_reject_code;

/* What a server grants, and the client learns. */
typedef struct ls_handshake_accept {
    uint8_t player; /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    uint64_t tick;  /* the next tick that the server will close */
    ls_match match;
    char build[LS_BUILD_TEXT_BYTES];        /* the server's; server_accept fills it in */
    uint8_t resume_secret[LS_RESUME_BYTES]; /* drawn by server_accept, which also hands it back */
} ls_handshake_accept;

/* Running key material; secret. */
typedef struct ls_handshake_state {
    uint8_t secret[32];
    uint8_t transcript[32];
} ls_handshake_state;

/* The server's side, one for all its clients. Opaque; the caller's storage. */
typedef struct ls_handshake_server {
    ls_handshake_local local;
    ls_identity identity;
    ls_entropy entropy;
    uint8_t psk[32];
    uint8_t static_secret[32], static_public[32];
    uint8_t cookie_secret[32];
    uint64_t expiry_s;
    uint8_t signature[64];
} ls_handshake_server;

/* One client that has proved to be where it says and to speak our language. Wipe with
 * ls_handshake_auth_reset. */
typedef struct ls_handshake_auth {
    char name[LS_NAME_BYTES]; /* UTF-8 without control characters; may be empty */
    uint8_t flags;
    char build[LS_BUILD_TEXT_BYTES];
    bool has_resume;
    uint8_t resume_secret[LS_RESUME_BYTES];
    ls_seal_keys keys; /* valid after server_accept */
    uint8_t client_ephemeral[32];
    ls_handshake_state state;
} ls_handshake_auth;

/* Copies all it needs. `entropy` NULL: the system's; `psk` NULL: zeros, an open server.
 *   unit    unix_s: wall clock, for the certificate's expiry only */
typedef struct ls_handshake_server_config {
    ls_handshake_local local;
    const ls_identity *identity;
    const ls_entropy *entropy;
    const uint8_t *psk; /* 32 bytes */
    uint64_t unix_s;
} ls_handshake_server_config;
LS_API void ls_handshake_server_init(ls_handshake_server *server,
                                     const ls_handshake_server_config *config);
LS_API void ls_handshake_server_reset(ls_handshake_server *server);
/* Signs a new certificate once half of the old one's life is over; call now and then. */
LS_API void ls_handshake_server_renew(ls_handshake_server *server, uint64_t unix_s);

/* Answers a HELLO; keeps nothing. `reply` (capacity LS_CONTROL_BYTES_MAX) holds what to send.
 *   errors  LS_ERROR_INCOMPATIBLE: reply is a REJECT, the text says what both sides have;
 *           LS_ERROR_CORRUPT: drop it, reply is empty */
LS_API ls_status ls_handshake_server_hello(const ls_handshake_server *server,
                                           const ls_handshake_message *message, ls_writer *reply,
                                           ls_error *error) LS_MUST_USE;

/* Checks an AUTH, cheapest test first, and says who wants to enter.
 *   errors  LS_ERROR_REFUSED: cookie expired or not of this address; LS_ERROR_CORRUPT: malformed or
 *           not sealed to this server. Drop it; *auth is wiped */
LS_API ls_status ls_handshake_server_auth(const ls_handshake_server *server,
                                          const ls_handshake_message *message,
                                          ls_handshake_auth *auth, ls_error *error) LS_MUST_USE;

/* Lets the client in: writes the ACCEPT and fills auth->keys and accept->resume_secret. Once per
 * auth; a repeated AUTH must be answered with the same bytes, which the caller keeps. */
LS_API void ls_handshake_server_accept(const ls_handshake_server *server, ls_handshake_auth *auth,
                                       ls_handshake_accept *accept, ls_writer *reply);
LS_API void ls_handshake_auth_reset(ls_handshake_auth *auth);

/* Writes a REJECT. A longer reason is cut. */
LS_API void ls_handshake_reject(ls_reject_code code, const char *reason, ls_writer *reply);

#ifdef __cplusplus
}
#endif

#endif
