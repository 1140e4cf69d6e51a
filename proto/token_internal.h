/* The layout and the sealing of a token; tests use them too. Private to proto/. */
#ifndef LS_TOKEN_INTERNAL_H
#define LS_TOKEN_INTERNAL_H

#include <lockstep/token.h>

enum {
    LS_TOKEN_VERSION = 1,
    LS_TOKEN_PUBLIC_BYTES = 4 + 1 + 8 + 8, /* the associated data of the sealed part */
    LS_TOKEN_NONCE_BYTES = 24,
    LS_TOKEN_TAG_BYTES = 16,
    LS_TOKEN_PLAIN_BYTES =
        LS_TOKEN_BYTES - LS_TOKEN_PUBLIC_BYTES - LS_TOKEN_NONCE_BYTES - LS_TOKEN_TAG_BYTES,
};

/* Seals `plain` into `bytes`, which already has the public part and the nonce. */
void ls_token_seal(const ls_token_key *key, const uint8_t plain[LS_TOKEN_PLAIN_BYTES],
                   uint8_t bytes[LS_TOKEN_BYTES]);
/* Opens the sealed part of a token. False, and `plain` zeroed, when it is not authentic. */
bool ls_token_unseal(const ls_token_key *key, const uint8_t bytes[LS_TOKEN_BYTES],
                     uint8_t plain[LS_TOKEN_PLAIN_BYTES]) LS_MUST_USE;

#endif
