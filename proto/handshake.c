#include "proto/handshake_internal.h"
#include "proto/text.h"

#include <sodium.h>
#include <string.h>

_Static_assert(crypto_pwhash_SALTBYTES <= LS_KEY_BYTES, "the salt is the beginning of a hash");

void ls_handshake_reject(ls_reject_code code, const char *reason, ls_writer *reply)
{
    char text[LS_REASON_BYTES];
    ls_text_copy(text, sizeof text, reason);
    ls_write_u8(reply, LS_HANDSHAKE_REJECT);
    ls_write_u8(reply, (uint8_t)code);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_text(reply, text);
}

/* hash = H(label bytes) */
static void hash_labelled(const char *label, const uint8_t bytes[LS_KEY_BYTES],
                          uint8_t hash[LS_KEY_BYTES])
{
    uint8_t message[LS_LABEL_BYTES + LS_KEY_BYTES];
    ls_handshake_label(label, message);
    memcpy(message + LS_LABEL_BYTES, bytes, LS_KEY_BYTES);
    ls_handshake_hash(message, sizeof message, hash);
    sodium_memzero(message, sizeof message);
}

ls_status ls_handshake_password(const char *password, const ls_public_key *identity,
                                uint8_t psk[LS_KEY_BYTES])
{
    LS_ASSERT(sodium_init() >= 0);
    size_t count = strnlen(password, LS_PASSWORD_BYTES);
    if (count == LS_PASSWORD_BYTES)
        return LS_ERROR_LIMIT;
    /* One guess is good for one server only. */
    uint8_t salt[LS_KEY_BYTES];
    hash_labelled("password", identity->bytes, salt);
    return crypto_pwhash(psk, LS_KEY_BYTES, password, count, salt,
                         crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE,
                         crypto_pwhash_ALG_ARGON2ID13) == 0
               ? LS_OK
               : LS_ERROR_IO;
}
