#include "proto/running_hash.h"

#include <lockstep/bytes.h>

#include <sodium.h>
#include <string.h>

_Static_assert(sizeof(crypto_generichash_state) <= sizeof(ls_running_hash), "the state fits");
_Static_assert(crypto_sign_BYTES == LS_SIGNATURE_BYTES, "one length of signatures");

/* Begins the signed bytes. A server's other signatures begin differently (docs/protocol.md), so no
 * signature can be used as another kind. */
static const char label[16] = "LSrecorded bytes";

enum { MESSAGE_BYTES = sizeof label + 8 + LS_RUNNING_HASH_BYTES };

void ls_running_hash_init(ls_running_hash *hash)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, LS_RUNNING_HASH_BYTES);
    memcpy(hash->state, &state, sizeof state);
}

/* Works on an aligned copy, because libsodium needs the state at a multiple of 64. */
void ls_running_hash_add(ls_running_hash *hash, const void *data, size_t count)
{
    crypto_generichash_state state;
    memcpy(&state, hash->state, sizeof state);
    crypto_generichash_update(&state, data, count);
    memcpy(hash->state, &state, sizeof state);
}

void ls_running_hash_get(const ls_running_hash *hash, uint8_t value[LS_RUNNING_HASH_BYTES])
{
    crypto_generichash_state state;
    memcpy(&state, hash->state, sizeof state);
    crypto_generichash_final(&state, value, LS_RUNNING_HASH_BYTES);
}

static void make_message(const ls_running_hash *hash, uint64_t number,
                         uint8_t message[MESSAGE_BYTES])
{
    ls_writer writer;
    ls_writer_init(&writer, message, MESSAGE_BYTES);
    ls_write_bytes(&writer, label, sizeof label);
    ls_write_u64(&writer, number);
    ls_running_hash_get(hash, message + writer.count);
}

void ls_running_hash_sign(const ls_running_hash *hash, uint64_t number, const ls_identity *identity,
                          uint8_t signature[LS_SIGNATURE_BYTES])
{
    uint8_t message[MESSAGE_BYTES];
    make_message(hash, number, message);
    LS_ASSERT(
        crypto_sign_detached(signature, NULL, message, sizeof message, identity->secret_key) == 0);
}

bool ls_running_hash_verify(const ls_running_hash *hash, uint64_t number, const ls_public_key *key,
                            const uint8_t signature[LS_SIGNATURE_BYTES])
{
    uint8_t message[MESSAGE_BYTES];
    make_message(hash, number, message);
    return crypto_sign_verify_detached(signature, message, sizeof message, key->bytes) == 0;
}
