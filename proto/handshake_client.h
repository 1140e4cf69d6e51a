/* The client's side of the handshake; the picture is in proto/handshake.h. Every call that reads a
 * message also understands a REJECT, and then answers LS_ERROR_INCOMPATIBLE or LS_ERROR_REFUSED
 * with the server's reason as the text. */
#ifndef LS_HANDSHAKE_CLIENT_H
#define LS_HANDSHAKE_CLIENT_H

#include "proto/handshake.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copied by init. */
typedef struct ls_handshake_client_config {
    ls_handshake_local local;
    const ls_entropy *entropy; /* NULL: the system's */
    const uint8_t *psk;        /* 32 bytes; NULL: zeros */
    const ls_public_key *pin;  /* the identity that the server must have; NULL: take any, ask after
                                  the cookie (proto/known_servers.h) */
    char name[LS_NAME_BYTES];
    uint8_t flags;
    const uint8_t *resume_secret; /* LS_RESUME_BYTES; NULL: a new player */
} ls_handshake_client_config;

/* One attempt. Opaque but for server_key (after client_cookie) and keys (after client_accept). */
typedef struct ls_handshake_client {
    ls_public_key server_key;
    ls_seal_keys keys;
    ls_handshake_local local;
    char name[LS_NAME_BYTES];
    uint8_t flags;
    bool has_pin, has_resume;
    uint8_t step;
    ls_public_key pin;
    uint8_t psk[32];
    uint8_t resume_secret[LS_RESUME_BYTES];
    uint8_t ephemeral_secret[32], ephemeral_public[32], client_random[32];
    uint8_t hello_hash[32];
    ls_handshake_state state;
    uint32_t bucket;
    uint8_t cookie[32];
} ls_handshake_client;

/* Draws the attempt's secrets. In the name, what is no printable UTF-8 becomes '?'. */
LS_API void ls_handshake_client_init(ls_handshake_client *client,
                                     const ls_handshake_client_config *config);
/* Wipes everything. */
LS_API void ls_handshake_client_reset(ls_handshake_client *client);

/* Writes the HELLO (LS_HELLO_BYTES), the same bytes each time. */
LS_API void ls_handshake_client_hello(const ls_handshake_client *client, ls_writer *writer);

/* Reads the answer to the HELLO and sets client->server_key.
 *   unit    unix_s: wall clock, compared with the certificate's expiry
 *   errors  LS_ERROR_REFUSED: the identity is not the pinned one (both in the text), the
 * certificate is expired, or the server rejects; LS_ERROR_INCOMPATIBLE: the server rejects our
 * version or simulation; LS_ERROR_CORRUPT: no valid COOKIE, ignore it. Nothing changes */
LS_API ls_status ls_handshake_client_cookie(ls_handshake_client *client,
                                            const ls_handshake_message *message, uint64_t unix_s,
                                            ls_error *error) LS_MUST_USE;

/* Writes the AUTH (LS_AUTH_BYTES), the same bytes each time; asserts that the cookie came. */
LS_API void ls_handshake_client_auth(const ls_handshake_client *client, ls_writer *writer);

/* Reads the answer to the AUTH and fills client->keys.
 *   errors  LS_ERROR_REFUSED, LS_ERROR_INCOMPATIBLE: rejected; LS_ERROR_CORRUPT: no valid ACCEPT,
 *           ignore it; *accept is then unspecified, nothing else changes */
LS_API ls_status ls_handshake_client_accept(ls_handshake_client *client,
                                            const ls_handshake_message *message,
                                            ls_handshake_accept *accept,
                                            ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
