#include <lockstep/identity.h>

#include "proto/identity_internal.h"

#include <sodium.h>
#include <string.h>

_Static_assert(sizeof(((ls_identity *)0)->secret_key) == crypto_sign_SECRETKEYBYTES, "key size");
_Static_assert(LS_IDENTITY_SEED_BYTES == crypto_sign_SEEDBYTES, "seed size");

void ls_identity_from_seed(ls_identity *identity, const uint8_t seed[LS_IDENTITY_SEED_BYTES])
{
    LS_ASSERT(sodium_init() >= 0);
    LS_ASSERT(crypto_sign_seed_keypair(identity->public_key.bytes, identity->secret_key, seed) ==
              0);
}

void ls_identity_init(ls_identity *identity, const ls_entropy *entropy)
{
    uint8_t seed[LS_IDENTITY_SEED_BYTES];
    ls_entropy_fill(entropy, seed, sizeof seed);
    ls_identity_from_seed(identity, seed);
    ls_wipe(seed, sizeof seed);
}

void ls_identity_reset(ls_identity *identity)
{
    ls_wipe(identity, sizeof *identity);
}

void ls_identity_format_bytes(const uint8_t bytes[LS_PUBLIC_KEY_BYTES],
                              char text[LS_PUBLIC_KEY_TEXT_BYTES])
{
    sodium_bin2base64(text, LS_PUBLIC_KEY_TEXT_BYTES, bytes, LS_PUBLIC_KEY_BYTES,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* libsodium reads some bytes above 127 as letters, so the result is formatted again and compared.
 */
bool ls_identity_parse_bytes(const char *text, uint8_t bytes[LS_PUBLIC_KEY_BYTES])
{
    size_t count = 0;
    char again[LS_PUBLIC_KEY_TEXT_BYTES] = "";
    bool is_valid =
        strlen(text) == LS_PUBLIC_KEY_TEXT_BYTES - 1 &&
        sodium_base642bin(bytes, LS_PUBLIC_KEY_BYTES, text, LS_PUBLIC_KEY_TEXT_BYTES - 1, NULL,
                          &count, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
        count == LS_PUBLIC_KEY_BYTES;
    if (is_valid) {
        ls_identity_format_bytes(bytes, again);
        is_valid = strcmp(again, text) == 0;
    }
    ls_wipe(again, sizeof again);
    if (!is_valid)
        ls_wipe(bytes, LS_PUBLIC_KEY_BYTES);
    return is_valid;
}

void ls_public_key_format(const ls_public_key *key, char text[LS_PUBLIC_KEY_TEXT_BYTES])
{
    ls_identity_format_bytes(key->bytes, text);
}

bool ls_public_key_parse(const char *text, ls_public_key *key)
{
    return ls_identity_parse_bytes(text, key->bytes);
}

bool ls_public_key_equal(const ls_public_key *a, const ls_public_key *b)
{
    return sodium_memcmp(a->bytes, b->bytes, LS_PUBLIC_KEY_BYTES) == 0;
}
