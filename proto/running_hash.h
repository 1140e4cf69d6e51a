/* A hash over a growing stream of bytes, which can be read and signed at any point. Private to
 * proto/ and replays/.
 *   thread  a hash belongs to one thread at a time */
#ifndef LS_RUNNING_HASH_H
#define LS_RUNNING_HASH_H

#include <lockstep/identity.h>

#define LS_SIGNATURE_BYTES 64

/* BLAKE2b-256 over all bytes added so far. The struct is a value: a copy continues
 * independently. */
typedef struct ls_running_hash {
    uint64_t state[48];
} ls_running_hash;

LS_API void ls_running_hash_init(ls_running_hash *hash);
LS_API void ls_running_hash_add(ls_running_hash *hash, const void *data, size_t count);

#define LS_RUNNING_HASH_BYTES 32

/* Writes the hash of all bytes so far. */
LS_API void ls_running_hash_get(const ls_running_hash *hash, uint8_t value[LS_RUNNING_HASH_BYTES]);

/* Signs the current hash and a number of the caller's with Ed25519. */
LS_API void ls_running_hash_sign(const ls_running_hash *hash, uint64_t number,
                                 const ls_identity *identity,
                                 uint8_t signature[LS_SIGNATURE_BYTES]);
LS_API bool ls_running_hash_verify(const ls_running_hash *hash, uint64_t number,
                                   const ls_public_key *key,
                                   const uint8_t signature[LS_SIGNATURE_BYTES]) LS_MUST_USE;

#endif
