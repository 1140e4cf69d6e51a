/* Connect tokens: a matchmaker gives a token to a player, and a server accepts it without
 * contacting the matchmaker. It names player, room, servers and validity, and is sealed with
 * XChaCha20-Poly1305 by a key that matchmaker and servers share. Its bytes: docs/protocol.md. The
 * player gets the token inside a pass (include/lockstep/pass.h) and cannot read it. */
#ifndef LS_TOKEN_H
#define LS_TOKEN_H

#include <lockstep/address.h>
#include <lockstep/identity.h>
#include <lockstep/limits.h>
#include <lockstep/link.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_TOKEN_ID_BYTES 16
#define LS_TOKEN_KEYS_MAX 8 /* keys that one server may have */

/* A matchmaker's key. Secret: wipe with ls_token_key_reset. */
typedef struct ls_token_key {
    uint32_t id; /* not 0; public: tokens name it */
    uint8_t secret[32];
} ls_token_key;

enum { LS_TOKEN_PLAY = 1, LS_TOKEN_SPECTATE = 2 }; /* rights, at least one */

/* Secret: wipe with ls_token_reset. Only the key id and the times travel in clear. */
typedef struct ls_token {
    uint32_t key_id;
    uint64_t not_before_s, expiry_s; /* Unix seconds: valid in [not_before_s, expiry_s) */
    uint8_t id[LS_TOKEN_ID_BYTES];
    char client[LS_CLIENT_ID_BYTES]; /* the matchmaker's name for the player, not empty */
    char room[LS_ROOM_BYTES];        /* "": any room */
    uint8_t rights;
    uint32_t address_count; /* 0: any server */
    ls_address addresses[LS_TOKEN_ADDRESSES_MAX];
    ls_public_key server;                      /* zeros: any server */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES]; /* of the simulation; zeros: any */
    uint8_t psk[32];                           /* mixed into the keys of the handshake */
} ls_token;

LS_API void ls_token_key_init(ls_token_key *key, uint32_t id, const ls_entropy *entropy);
LS_API void ls_token_key_reset(ls_token_key *key);
/* Load and save the file of a matchmaker's key.
 *   errors  as ls_identity_load() and ls_identity_save() */
LS_API ls_status ls_token_key_load(const char *path, ls_token_key *key,
                                   ls_error *error) LS_MUST_USE;
LS_API ls_status ls_token_key_save(const char *path, const ls_token_key *key,
                                   ls_error *error) LS_MUST_USE;

/* Draws the token's id and psk, sets its key id, and seals it. The caller sets all other members
 * before.
 *   errors  LS_ERROR_USAGE: a text that is not printable UTF-8, no client, no or unknown rights,
 *           too many addresses, an expiry not after not_before or more than LS_TOKEN_LIFE_S_MAX
 *           after it; `bytes` is then unchanged */
LS_API ls_status ls_token_issue(const ls_token_key *key, const ls_entropy *entropy, ls_token *token,
                                uint8_t bytes[LS_TOKEN_BYTES]) LS_MUST_USE;

/* The values that a server checks a token against. */
typedef struct ls_token_rule {
    const ls_token_key *keys;
    uint32_t key_count;
    uint64_t unix_s;
    const ls_public_key *identity; /* NULL: not compared */
    const uint8_t *fingerprint;    /* LS_FINGERPRINT_BYTES; NULL: not compared */
} ls_token_rule;

/* Opens a token from hostile bytes. Checks the time before the key, and the key before the content.
 *   errors  LS_ERROR_NOT_FOUND: no key has its id; LS_ERROR_REFUSED: expired, early, or for another
 *           server or simulation; LS_ERROR_CORRUPT: forged, damaged or malformed. *token is then
 *           wiped */
LS_API ls_status ls_token_open(const ls_token_rule *rule, const uint8_t bytes[LS_TOKEN_BYTES],
                               ls_token *token, ls_error *error) LS_MUST_USE;

/* Whether the token is for a server with these addresses: it names one of them or no address, or
 * the server knows no address of its own (count 0). */
LS_API bool ls_token_names(const ls_token *token, const ls_address *addresses, uint32_t count);

/* Reads the public part without proof: key id, not_before and expiry; the rest is zeros. False when
 * the bytes cannot be a token. */
LS_API bool ls_token_peek(const uint8_t bytes[LS_TOKEN_BYTES], ls_token *token) LS_MUST_USE;

LS_API void ls_token_reset(ls_token *token);

#ifdef __cplusplus
}
#endif

#endif
