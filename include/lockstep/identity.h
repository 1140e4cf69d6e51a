/* The identity of a server: an Ed25519 key pair in a private file, and the text form of its public
 * key. Trust on first use: include/lockstep/known_servers.h. */
#ifndef LS_IDENTITY_H
#define LS_IDENTITY_H

#include <lockstep/entropy.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_PUBLIC_KEY_BYTES      32
#define LS_PUBLIC_KEY_TEXT_BYTES 44 /* 43 characters of base64url without padding, and a zero */

typedef struct ls_public_key {
    uint8_t bytes[LS_PUBLIC_KEY_BYTES];
} ls_public_key;

/* Secret: wipe with ls_identity_reset. */
typedef struct ls_identity {
    ls_public_key public_key;
    uint8_t secret_key[64];
} ls_identity;

LS_API void ls_identity_init(ls_identity *identity, const ls_entropy *entropy);
LS_API void ls_identity_reset(ls_identity *identity);

/* Reads an identity file.
 *   errors  LS_ERROR_NOT_FOUND: no such file; LS_ERROR_REFUSED: others can read it (the text names
 *           the chmod that helps), or it is not a regular file; LS_ERROR_CORRUPT; LS_ERROR_IO.
 *           *identity is wiped after each error */
LS_API ls_status ls_identity_load(const char *path, ls_identity *identity,
                                  ls_error *error) LS_MUST_USE;

/* Writes a new identity file with mode 0600 and syncs it; never replaces a file.
 *   errors  LS_ERROR_REFUSED: the file exists; LS_ERROR_IO */
LS_API ls_status ls_identity_save(const char *path, const ls_identity *identity,
                                  ls_error *error) LS_MUST_USE;

/* Loads the identity, or creates and saves a new one when the file does not exist. `created` may be
 * NULL.
 *   errors  as ls_identity_load() without LS_ERROR_NOT_FOUND; LS_ERROR_IO of ls_identity_save() */
LS_API ls_status ls_identity_load_or_create(const char *path, ls_identity *identity, bool *created,
                                            ls_error *error) LS_MUST_USE;

/* Writes the text form: letters, digits, '-' and '_', so it is safe after '#' in a URL and in a
 * shell. */
LS_API void ls_public_key_format(const ls_public_key *key, char text[LS_PUBLIC_KEY_TEXT_BYTES]);
/* Accepts exactly the output of ls_public_key_format(). On false *key is zeroed. */
LS_API bool ls_public_key_parse(const char *text, ls_public_key *key) LS_MUST_USE;
LS_API bool ls_public_key_equal(const ls_public_key *a, const ls_public_key *b);

#ifdef __cplusplus
}
#endif

#endif
