/* A hash to store instead of a secret, and a comparison in constant time. */
#ifndef LS_SECRET_H
#define LS_SECRET_H

#include <lockstep/base.h>

#define LS_SECRET_HASH_BYTES 32

/* Hashes a secret with BLAKE2b-256. Use it only for secrets that cannot be guessed: it has no salt
 * and is fast. */
void ls_secret_hash(const void *secret, size_t bytes, uint8_t hash[LS_SECRET_HASH_BYTES]);

/* Compares two secrets in a time that does not depend on their content. */
bool ls_secret_equal(const void *a, const void *b, size_t bytes);

#endif
