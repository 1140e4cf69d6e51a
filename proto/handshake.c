#include "proto/handshake_internal.h"
#include "proto/text.h"

#include <sodium.h>
#include <string.h>

_Static_assert(LS_BOX_TAG_BYTES == crypto_aead_chacha20poly1305_IETF_ABYTES, "tag size");
_Static_assert(crypto_pwhash_SALTBYTES <= LS_KEY_BYTES, "the salt is the beginning of a hash");

static const uint8_t zero_nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];

void ls_handshake_label(const char *label, uint8_t bytes[LS_LABEL_BYTES])
{
    size_t count = strlen(label);
    LS_ASSERT(count <= LS_LABEL_BYTES);
    memset(bytes, 0, LS_LABEL_BYTES);
    memcpy(bytes, label, count);
}

void ls_handshake_hash(const void *bytes, size_t count, uint8_t hash[LS_KEY_BYTES])
{
    crypto_generichash(hash, LS_KEY_BYTES, bytes, count, NULL, 0);
}

static void hash_label(const char *label, uint8_t hash[LS_KEY_BYTES])
{
    uint8_t bytes[LS_LABEL_BYTES];
    ls_handshake_label(label, bytes);
    ls_handshake_hash(bytes, sizeof bytes, hash);
}

/* out = K(key, label input); `out` may be the key. */
static void keyed(const uint8_t key[LS_KEY_BYTES], const char *label,
                  const uint8_t input[LS_KEY_BYTES], uint8_t out[LS_KEY_BYTES])
{
    uint8_t message[LS_LABEL_BYTES + LS_KEY_BYTES];
    ls_handshake_label(label, message);
    memcpy(message + LS_LABEL_BYTES, input, LS_KEY_BYTES);
    uint8_t result[LS_KEY_BYTES];
    crypto_generichash(result, sizeof result, message, sizeof message, key, LS_KEY_BYTES);
    memcpy(out, result, sizeof result);
    sodium_memzero(message, sizeof message);
    sodium_memzero(result, sizeof result);
}

void ls_handshake_absorb(ls_handshake_state *state, const void *bytes, size_t count)
{
    crypto_generichash_state hash;
    crypto_generichash_init(&hash, NULL, 0, LS_KEY_BYTES);
    crypto_generichash_update(&hash, state->transcript, LS_KEY_BYTES);
    crypto_generichash_update(&hash, bytes, count);
    crypto_generichash_final(&hash, state->transcript, LS_KEY_BYTES);
}

void ls_handshake_mix(ls_handshake_state *state, const uint8_t bytes[LS_KEY_BYTES])
{
    keyed(state->secret, "mix", bytes, state->secret);
}

void ls_handshake_state_init(ls_handshake_state *state, const ls_handshake_base *base)
{
    hash_label("transcript", state->transcript);
    hash_label("secret", state->secret);

    uint8_t bytes[3 * LS_KEY_BYTES + 8];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_write_u16(&writer, base->version_min);
    ls_write_u16(&writer, base->version_max);
    ls_write_u32(&writer, base->capabilities);
    ls_write_bytes(&writer, base->hello_hash, LS_KEY_BYTES);
    ls_write_bytes(&writer, base->server_static, LS_KEY_BYTES);
    ls_write_bytes(&writer, base->identity, LS_KEY_BYTES);
    LS_ASSERT(!writer.failed);
    ls_handshake_absorb(state, bytes, writer.count);
}

bool ls_handshake_mix_exchange(ls_handshake_state *state, const uint8_t secret[LS_KEY_BYTES],
                               const uint8_t public_key[LS_KEY_BYTES])
{
    uint8_t shared[LS_KEY_BYTES];
    bool is_sound = crypto_scalarmult(shared, secret, public_key) == 0;
    if (is_sound)
        ls_handshake_mix(state, shared);
    sodium_memzero(shared, sizeof shared);
    return is_sound;
}

void ls_handshake_derive_session(const ls_handshake_state *state, ls_seal_keys *keys,
                                 ls_carrier *carrier)
{
    static const char *const labels[2][LS_CHANNEL_COUNT] = {
        [LS_ROLE_SERVER] = {"server ticks", "server control"},
        [LS_ROLE_CLIENT] = {"client ticks", "client control"},
    };
    static const char *const carrier_labels[2] = {"server carrier", "client carrier"};
    uint8_t key[LS_KEY_BYTES];
    for (uint32_t role = 0; role < 2; role++) {
        for (uint32_t channel = 0; channel < LS_CHANNEL_COUNT; channel++)
            keyed(state->secret, labels[role][channel], state->transcript,
                  keys->keys[role][channel]);
        keyed(state->secret, carrier_labels[role], state->transcript, key);
        memcpy(carrier->keys[role], key, LS_CARRIER_KEY_BYTES);
    }
    sodium_memzero(key, sizeof key);
}

void ls_handshake_box_seal(ls_handshake_state *state, const char *label, const ls_writer *plain,
                           ls_writer *out)
{
    size_t bytes = plain->count + LS_BOX_TAG_BYTES;
    LS_ASSERT(!plain->failed && !out->failed && bytes <= out->capacity - out->count);
    uint8_t key[LS_KEY_BYTES];
    keyed(state->secret, label, state->transcript, key);
    uint8_t *box = out->data + out->count;
    crypto_aead_chacha20poly1305_ietf_encrypt(box, NULL, plain->data, plain->count,
                                              state->transcript, LS_KEY_BYTES, NULL, zero_nonce,
                                              key);
    out->count += bytes;
    sodium_memzero(key, sizeof key);
    ls_handshake_absorb(state, box, bytes);
}

bool ls_handshake_box_open(ls_handshake_state *state, const char *label, ls_reader *box,
                           uint8_t *plain)
{
    size_t bytes = ls_reader_left(box);
    const uint8_t *data = ls_read_view(box, bytes);
    if (!data || bytes < LS_BOX_TAG_BYTES)
        return false;
    uint8_t key[LS_KEY_BYTES];
    keyed(state->secret, label, state->transcript, key);
    int result = crypto_aead_chacha20poly1305_ietf_decrypt(
        plain, NULL, NULL, data, bytes, state->transcript, LS_KEY_BYTES, zero_nonce, key);
    sodium_memzero(key, sizeof key);
    if (result != 0)
        return false;
    ls_handshake_absorb(state, data, bytes);
    return true;
}

void ls_handshake_certificate_bytes(const uint8_t server_static[LS_KEY_BYTES], uint64_t expiry_s,
                                    uint8_t bytes[LS_CERTIFICATE_BYTES])
{
    uint8_t label[LS_LABEL_BYTES];
    ls_handshake_label("certificate", label);
    ls_writer writer;
    ls_writer_init(&writer, bytes, LS_CERTIFICATE_BYTES);
    ls_write_bytes(&writer, label, sizeof label);
    ls_write_bytes(&writer, server_static, LS_KEY_BYTES);
    ls_write_u64(&writer, expiry_s);
    LS_ASSERT(!writer.failed && writer.count == LS_CERTIFICATE_BYTES);
}

bool ls_handshake_read_zeros(ls_reader *reader)
{
    size_t count = ls_reader_left(reader);
    const uint8_t *bytes = ls_read_view(reader, count);
    return bytes && sodium_is_zero(bytes, count);
}

void ls_handshake_write_zeros(ls_writer *writer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ls_write_u8(writer, 0);
}

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
    /* The server's identity is the salt, so an attacker has to hash each guess anew for each
     * server. */
    uint8_t salt[LS_KEY_BYTES];
    hash_labelled("password", identity->bytes, salt);
    return crypto_pwhash(psk, LS_KEY_BYTES, password, count, salt,
                         crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE,
                         crypto_pwhash_ALG_ARGON2ID13) == 0
               ? LS_OK
               : LS_ERROR_IO;
}
