/* A pass: the file form of a connect token, a small secret that a matchmaker gives a player. It
 * holds the server's addresses and key, the sealed token (include/lockstep/token.h), and the
 * token's psk. */
#ifndef LS_PASS_H
#define LS_PASS_H

#include <lockstep/token.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Secret: wipe with ls_pass_reset. */
typedef struct ls_pass {
    uint8_t token[LS_TOKEN_BYTES];
    uint8_t psk[32];
    bool has_server_key;
    ls_public_key server_key;
    uint32_t address_count; /* 0: the player knows the address */
    ls_address addresses[LS_TOKEN_ADDRESSES_MAX];
} ls_pass;

/* A head line, 588 characters of base64url, a newline and the terminating zero. */
#define LS_PASS_TEXT_BYTES (16 + 588 + 1 + 1)

/* Fills the pass from a token that was just issued, and the token's sealed bytes. */
LS_API void ls_pass_init(ls_pass *pass, const ls_token *token, const uint8_t bytes[LS_TOKEN_BYTES]);
LS_API void ls_pass_reset(ls_pass *pass);

LS_API void ls_pass_format(const ls_pass *pass, char text[LS_PASS_TEXT_BYTES]);
/* Accepts exactly the output of ls_pass_format(). On false *pass is wiped. */
LS_API bool ls_pass_parse(const char *text, ls_pass *pass) LS_MUST_USE;

/* Load and save a file like that of an identity.
 *   errors  as ls_identity_load() and ls_identity_save() */
LS_API ls_status ls_pass_load(const char *path, ls_pass *pass, ls_error *error) LS_MUST_USE;
LS_API ls_status ls_pass_save(const char *path, const ls_pass *pass, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
