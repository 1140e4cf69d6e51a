#include "proto/sha256.h"

#include <sodium.h>

void ls_sha256_text(const void *data, size_t count, char text[LS_SHA256_TEXT_BYTES])
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    _Static_assert(LS_SHA256_TEXT_BYTES == 2 * crypto_hash_sha256_BYTES + 1, "two digits a byte");
    crypto_hash_sha256(hash, data, count);
    sodium_bin2hex(text, LS_SHA256_TEXT_BYTES, hash, sizeof hash);
}
