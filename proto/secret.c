#include "proto/secret.h"

#include <sodium.h>

void ls_secret_hash(const void *secret, size_t bytes, uint8_t hash[LS_SECRET_HASH_BYTES])
{
    int result = crypto_generichash(hash, LS_SECRET_HASH_BYTES, secret, bytes, NULL, 0);
    LS_ASSERT(result == 0);
}

bool ls_secret_equal(const void *a, const void *b, size_t bytes)
{
    return sodium_memcmp(a, b, bytes) == 0;
}
