/* A hash that may be kept instead of a secret, and a comparison whose time does not tell where two
 * differ. */
#ifndef LS_SECRET_H
#define LS_SECRET_H

#include <lockstep/base.h>

#define LS_SECRET_HASH_BYTES 32

/* BLAKE2b-256. Only for secrets that cannot be guessed: there is no salt and no work in it. */
void ls_secret_hash(const void *secret, size_t bytes, uint8_t hash[LS_SECRET_HASH_BYTES]);

/* In a time that does not depend on the content. */
bool ls_secret_equal(const void *a, const void *b, size_t bytes);

#endif
