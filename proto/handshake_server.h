/* The server's side of the handshake; include/lockstep/handshake.h has a diagram. The caller is
 * responsible for slots, budgets, the answers to a repeated AUTH, and the detection of used
 * tokens. */
#ifndef LS_HANDSHAKE_SERVER_H
#define LS_HANDSHAKE_SERVER_H

#include <lockstep/handshake.h>
#include <lockstep/token.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The secrets of one certificate. A cookie is valid for exactly one era, because each era has its
 * own cookie secret. */
typedef struct ls_handshake_era {
    uint8_t static_secret[32], static_public[32];
    uint8_t cookie_secret[32];
    uint64_t expiry_s;
    uint8_t signature[64];
} ls_handshake_era;

/* The state of the server's side, shared by all clients. Opaque; the caller's storage. */
typedef struct ls_handshake_server {
    ls_handshake_local local;
    ls_identity identity;
    ls_entropy entropy;
    bool has_psk;
    uint8_t psk[32];
    ls_token_key token_keys[LS_TOKEN_KEYS_MAX];
    uint32_t token_key_count;
    bool require_token;
    ls_address addresses[LS_TOKEN_ADDRESSES_MAX];
    uint32_t address_count;
    ls_handshake_era era;
    ls_handshake_era past; /* the previous era, valid until `past_until_ns`; zeros: none */
    uint64_t past_until_ns;
} ls_handshake_server;

/* Names the check that an AUTH failed, for counters and the log. */
typedef enum ls_handshake_check {
    LS_HANDSHAKE_CHECK_NONE = 0, /* the AUTH passed all checks */
    LS_HANDSHAKE_CHECK_FORM,
    LS_HANDSHAKE_CHECK_COOKIE,
    LS_HANDSHAKE_CHECK_TOKEN,
    LS_HANDSHAKE_CHECK_BOX, /* the box does not open, as with a wrong psk, or its content is
                               malformed */
} ls_handshake_check;

/* A client that has proven its address and its knowledge of the keys. Wipe with
 * ls_handshake_auth_reset. The caller checks whether the token permits `room` and `flags`, and
 * whether it was used before. */
typedef struct ls_handshake_auth {
    ls_handshake_check failed;
    char name[LS_NAME_BYTES]; /* UTF-8 without control characters; may be empty */
    uint8_t flags;
    char build[LS_BUILD_TEXT_BYTES];
    char room[LS_ROOM_BYTES]; /* the room that the client asks for; "" for any */
    bool has_resume;
    uint8_t resume_secret[LS_RESUME_BYTES];
    bool has_token;
    bool token_is_expired;   /* only a client that resumes may enter: the caller decides */
    bool token_is_elsewhere; /* the token names only other servers' addresses: the caller decides */
    ls_token token;          /* its client id is found only here; its psk is wiped */
    bool is_open;            /* the client has no token, and the server no password */
    ls_seal_keys keys;       /* valid after server_accept */
    ls_carrier carrier;      /* valid after server_accept, its capabilities after server_auth */
    uint8_t client_ephemeral[32];
    ls_handshake_state state;
} ls_handshake_auth;

/* Copied by init, which asserts the counts. `psk` comes from ls_handshake_password and applies to
 * clients without a token.
 *   unit    unix_s: wall clock, for the certificate's expiry only */
typedef struct ls_handshake_server_config {
    ls_handshake_local local;
    const ls_identity *identity;
    const ls_entropy *entropy; /* NULL: the system's */
    const uint8_t *psk;        /* 32 bytes; NULL: zeros, no password */
    uint64_t unix_s;
    const ls_token_key *token_keys; /* of the matchmakers, at most LS_TOKEN_KEYS_MAX */
    uint32_t token_key_count;
    bool require_token;          /* false: an open server */
    const ls_address *addresses; /* the server's own, at most LS_TOKEN_ADDRESSES_MAX; none: the
                                    addresses in a token are not compared */
    uint32_t address_count;
} ls_handshake_server_config;
LS_API void ls_handshake_server_init(ls_handshake_server *server,
                                     const ls_handshake_server_config *config);
LS_API void ls_handshake_server_reset(ls_handshake_server *server);
/* Draws new secrets and a new certificate when half of the current certificate's life is over, or
 * when the wall clock was set back so that the certificate would be valid for too long. Cookies of
 * the former secrets stay valid for two minutes; a later call then wipes those secrets. Call this
 * regularly.
 *   unit    unix_s: wall clock; now_ns: the clock of the messages */
LS_API void ls_handshake_server_renew(ls_handshake_server *server, uint64_t unix_s,
                                      uint64_t now_ns);

/* Answers a HELLO without storing anything. `reply` (capacity LS_MTU_BYTES) receives the answer.
 *   errors  LS_ERROR_INCOMPATIBLE, LS_ERROR_REFUSED (a token is needed or its key unknown): reply
 *           is a REJECT, and the text is its reason; LS_ERROR_NOT_FOUND: the client has no
 *           simulation and only asks what runs here, reply is a REJECT too; LS_ERROR_CORRUPT: drop
 *           the HELLO, reply is empty */
LS_API ls_status ls_handshake_server_hello(const ls_handshake_server *server,
                                           const ls_handshake_message *message, ls_writer *reply,
                                           ls_error *error) LS_MUST_USE;

/* Runs the first two checks of server_auth, form and cookie, at the cost of one hash, or of two
 * shortly after a renewal. True when the sender owns its address, so the caller can charge that
 * address. `ephemeral` then points to 32 bytes of the message; with the address, they identify the
 * attempt. */
LS_API bool ls_handshake_server_knows(const ls_handshake_server *server,
                                      const ls_handshake_message *message,
                                      const uint8_t **ephemeral) LS_MUST_USE;

/* Checks an AUTH, cheapest test first, and fills in the client's name, token, room and flags. A
 * token that is expired, or that names only other servers' addresses, passes and is marked in
 * *auth.
 *   errors  LS_ERROR_REFUSED: the cookie is expired or of another address; the token is not yet
 *           valid, for another server or simulation, or missing though required;
 *           LS_ERROR_NOT_FOUND: the token's key is unknown; LS_ERROR_CORRUPT: malformed, token
 *           forged, or not sealed to this server. Drop the AUTH; *auth is wiped except `failed` */
LS_API ls_status ls_handshake_server_auth(const ls_handshake_server *server,
                                          const ls_handshake_message *message,
                                          ls_handshake_auth *auth, ls_error *error) LS_MUST_USE;

/* Admits the client: writes the ACCEPT (at most LS_ACCEPT_BYTES_MAX) and fills auth->keys,
 * auth->carrier and accept->resume_secret. Call it once for each auth: a repeated AUTH must get the
 * same bytes, which the caller keeps. Asserts that the connect id is not 0. */
LS_API void ls_handshake_server_accept(const ls_handshake_server *server, ls_handshake_auth *auth,
                                       ls_handshake_accept *accept, ls_writer *reply);
LS_API void ls_handshake_auth_reset(ls_handshake_auth *auth);

#ifdef __cplusplus
}
#endif

#endif
