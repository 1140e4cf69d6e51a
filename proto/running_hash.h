/* A hash over a growing stream of bytes, and signatures over its value at some places. Private to
 * proto/ and replays/.
 *   thread  a hash belongs to one thread at a time */
#ifndef LS_RUNNING_HASH_H
#define LS_RUNNING_HASH_H

#include <lockstep/identity.h>

#define LS_SIGNATURE_BYTES 64

/* BLAKE2b of 256 bits over all that was added. A value: a copy runs on by itself. */
typedef struct ls_running_hash {
    uint64_t state[48];
} ls_running_hash;

LS_API void ls_running_hash_init(ls_running_hash *hash);
LS_API void ls_running_hash_add(ls_running_hash *hash, const void *data, size_t count);

#define LS_RUNNING_HASH_BYTES 32

/* The present hash. */
LS_API void ls_running_hash_get(const ls_running_hash *hash, uint8_t value[LS_RUNNING_HASH_BYTES]);

/* Ed25519 over the present hash and a number of the caller. */
LS_API void ls_running_hash_sign(const ls_running_hash *hash, uint64_t number,
                                 const ls_identity *identity,
                                 uint8_t signature[LS_SIGNATURE_BYTES]);
LS_API bool ls_running_hash_verify(const ls_running_hash *hash, uint64_t number,
                                   const ls_public_key *key,
                                   const uint8_t signature[LS_SIGNATURE_BYTES]) LS_MUST_USE;

#endif
