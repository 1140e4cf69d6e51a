/* The server's side of the handshake; the picture is in include/lockstep/handshake.h. Slots,
 * budgets, answers kept for a repeated AUTH and tokens seen before are the caller's matter. */
#ifndef LS_HANDSHAKE_SERVER_H
#define LS_HANDSHAKE_SERVER_H

#include <lockstep/handshake.h>
#include <lockstep/token.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The secrets of one certificate. A cookie tells its era by the secret that it was made with. */
typedef struct ls_handshake_era {
    uint8_t static_secret[32], static_public[32];
    uint8_t cookie_secret[32];
    uint64_t expiry_s;
    uint8_t signature[64];
} ls_handshake_era;

/* The server's side, one for all its clients. Opaque; the caller's storage. */
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
    ls_handshake_era past; /* its cookies are taken until `past_until_ns`; zeros: none */
    uint64_t past_until_ns;
} ls_handshake_server;

/* The check that an AUTH did not pass: for counters and the log. */
typedef enum ls_handshake_check {
    LS_HANDSHAKE_CHECK_NONE = 0, /* all passed */
    LS_HANDSHAKE_CHECK_FORM,
    LS_HANDSHAKE_CHECK_COOKIE,
    LS_HANDSHAKE_CHECK_TOKEN,
    LS_HANDSHAKE_CHECK_BOX, /* also: another psk */
    LS_HANDSHAKE_CHECK_COUNT,
} ls_handshake_check;

/* One client that has proven its address and the knowledge of the keys. Wipe with
 * ls_handshake_auth_reset. Whether the token's room and rights go with `room` and `flags`, and
 * whether the token was used before, is for the caller to check. */
typedef struct ls_handshake_auth {
    ls_handshake_check failed;
    char name[LS_NAME_BYTES]; /* UTF-8 without control characters; may be empty */
    uint8_t flags;
    char build[LS_BUILD_TEXT_BYTES];
    char room[LS_ROOM_BYTES]; /* that it asks for; "" for any */
    bool has_resume;
    uint8_t resume_secret[LS_RESUME_BYTES];
    bool has_token;
    bool token_is_expired;   /* it admits only a client that resumes: the caller decides */
    bool token_is_elsewhere; /* names addresses, and none is this server's: the same */
    ls_token token;          /* the client id is here only; its psk is wiped */
    bool is_open;            /* neither token nor password vouches for it */
    ls_seal_keys keys;       /* this and the next are valid after server_accept */
    ls_carrier carrier;      /* its capabilities before that, too */
    uint8_t client_ephemeral[32];
    ls_handshake_state state;
} ls_handshake_auth;

/* Copies all it needs; asserts the counts. `psk` is for clients without a token, and comes from
 * ls_handshake_password.
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
    const ls_address *addresses; /* its own, at most LS_TOKEN_ADDRESSES_MAX; none: a token's
                                    addresses are not compared */
    uint32_t address_count;
} ls_handshake_server_config;
LS_API void ls_handshake_server_init(ls_handshake_server *server,
                                     const ls_handshake_server_config *config);
LS_API void ls_handshake_server_reset(ls_handshake_server *server);
/* Draws new secrets with a new certificate once half of the old one's life is over; a client that
 * has a cookie by the old ones still enters with it. Wipes the old ones two minutes later; call now
 * and then.
 *   unit    unix_s: wall clock; now_ns: that of the messages */
LS_API void ls_handshake_server_renew(ls_handshake_server *server, uint64_t unix_s,
                                      uint64_t now_ns);

/* Answers a HELLO; keeps nothing. `reply` (capacity LS_MTU_BYTES) holds the answer.
 *   errors  LS_ERROR_INCOMPATIBLE, LS_ERROR_REFUSED (a token is needed or its key unknown): reply
 *           is a REJECT, the text names both sides' versions; LS_ERROR_NOT_FOUND: the same to a
 *           client without a simulation that only asks what runs here; LS_ERROR_CORRUPT: drop it,
 *           reply is empty */
LS_API ls_status ls_handshake_server_hello(const ls_handshake_server *server,
                                           const ls_handshake_message *message, ls_writer *reply,
                                           ls_error *error) LS_MUST_USE;

/* The first two checks of server_auth, length and cookie, which cost one hash: true when the sender
 * owns its address, so that a limit of that address can be charged. `ephemeral` then points at the
 * 32 bytes of the message that, with the address, name the attempt. */
LS_API bool ls_handshake_server_knows(const ls_handshake_server *server,
                                      const ls_handshake_message *message,
                                      const uint8_t **ephemeral) LS_MUST_USE;

/* Checks an AUTH, cheapest test first, and fills in the client's name, token and wishes.
 *   errors  LS_ERROR_REFUSED: cookie expired or not of this address; token expired, early, for
 *           another server or simulation, or none though one is needed; LS_ERROR_NOT_FOUND: the
 *           token's key is unknown; LS_ERROR_CORRUPT: malformed, token forged, or not sealed to
 *           this server. Drop it; *auth is wiped but for `failed` */
LS_API ls_status ls_handshake_server_auth(const ls_handshake_server *server,
                                          const ls_handshake_message *message,
                                          ls_handshake_auth *auth, ls_error *error) LS_MUST_USE;

/* Lets the client in: writes the ACCEPT (at most LS_ACCEPT_BYTES_MAX) and fills auth->keys,
 * auth->carrier and accept->resume_secret. Once per auth; a repeated AUTH must be answered with the
 * same bytes, which the caller keeps. Asserts that the connect id is not 0. */
LS_API void ls_handshake_server_accept(const ls_handshake_server *server, ls_handshake_auth *auth,
                                       ls_handshake_accept *accept, ls_writer *reply);
LS_API void ls_handshake_auth_reset(ls_handshake_auth *auth);

#ifdef __cplusplus
}
#endif

#endif
