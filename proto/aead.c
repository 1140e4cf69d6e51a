/* libsodium's function computes ChaCha20 in two calls, the first for the key of Poly1305, and each
 * call block by block below 256 bytes. It also prepares Poly1305 for a message of any length. Most
 * packets are shorter than three blocks. Here one call computes four blocks at once, in the time
 * that libsodium needs for some two of them, and Poly1305 gets a message of known length. Both are
 * libsodium's; longer messages go to its own function. */
#include "proto/aead.h"

#include <sodium.h>
#include <string.h>

_Static_assert(LS_AEAD_KEY_BYTES == crypto_aead_chacha20poly1305_IETF_KEYBYTES, "key size");
_Static_assert(LS_AEAD_NONCE_BYTES == crypto_aead_chacha20poly1305_IETF_NPUBBYTES, "nonce size");
_Static_assert(LS_AEAD_TAG_BYTES == crypto_aead_chacha20poly1305_IETF_ABYTES, "tag size");

enum { BLOCK_BYTES = 64, PART_BYTES = 16 };
/* The first block of the stream is for the tag, the others are for the message. */
enum { STREAM_BYTES = 4 * BLOCK_BYTES, SHORT_BYTES = STREAM_BYTES - BLOCK_BYTES };

/* The input of Poly1305: head, text and their lengths, each filled up with zeros to whole parts. */
typedef struct tagged {
    uint8_t head[LS_AEAD_HEAD_BYTES_MAX];
    uint8_t text[SHORT_BYTES + PART_BYTES];
} tagged;

static void make_stream(const ls_aead *aead, uint8_t stream[STREAM_BYTES])
{
    LS_ASSERT(crypto_stream_chacha20_ietf(stream, STREAM_BYTES, aead->nonce, aead->key) == 0);
}

/* Combines with the stream in whole parts; the caller has room for them. */
static void combine(uint8_t *text, const uint8_t *stream, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += PART_BYTES) {
        uint64_t a[2], b[2];
        memcpy(a, text + at, sizeof a);
        memcpy(b, stream + at, sizeof b);
        a[0] ^= b[0];
        a[1] ^= b[1];
        memcpy(text + at, a, sizeof a);
    }
}

static void write_length(uint8_t *at, uint32_t bytes)
{
    memset(at, 0, 8);
    for (uint32_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(bytes >> 8 * i);
}

/* Computes the tag; the text is encrypted and in place. */
static void make_tag(const ls_aead *aead, tagged *data, uint32_t bytes,
                     const uint8_t stream[STREAM_BYTES], uint8_t tag[LS_AEAD_TAG_BYTES])
{
    uint32_t rest = (PART_BYTES - bytes % PART_BYTES) % PART_BYTES;
    memset(data->head, 0, sizeof data->head);
    memcpy(data->head, aead->head, aead->head_bytes);
    memset(data->text + bytes, 0, rest);
    write_length(data->text + bytes + rest, aead->head_bytes);
    write_length(data->text + bytes + rest + 8, bytes);
    (void)crypto_onetimeauth_poly1305(tag, data->head,
                                      sizeof data->head + bytes + rest + PART_BYTES, stream);
}

void ls_aead_seal(const ls_aead *aead, const uint8_t *message, uint32_t bytes, uint8_t *sealed)
{
    uint8_t stream[STREAM_BYTES];
    tagged data;
    LS_ASSERT(aead->head_bytes >= 1 && aead->head_bytes <= LS_AEAD_HEAD_BYTES_MAX);
    if (bytes > SHORT_BYTES) {
        (void)crypto_aead_chacha20poly1305_ietf_encrypt(sealed, NULL, message, bytes, aead->head,
                                                        aead->head_bytes, NULL, aead->nonce,
                                                        aead->key);
        return;
    }
    make_stream(aead, stream);
    memset(data.text + bytes / PART_BYTES * PART_BYTES, 0, PART_BYTES);
    memcpy(data.text, message, bytes);
    combine(data.text, stream + BLOCK_BYTES, bytes);
    make_tag(aead, &data, bytes, stream, sealed + bytes);
    memcpy(sealed, data.text, bytes);
    sodium_memzero(stream, sizeof stream);
}

bool ls_aead_open(const ls_aead *aead, const uint8_t *sealed, uint32_t bytes, uint8_t *message)
{
    uint8_t stream[STREAM_BYTES], tag[LS_AEAD_TAG_BYTES];
    tagged data;
    LS_ASSERT(aead->head_bytes >= 1 && aead->head_bytes <= LS_AEAD_HEAD_BYTES_MAX);
    if (bytes > SHORT_BYTES)
        return crypto_aead_chacha20poly1305_ietf_decrypt(
                   message, NULL, NULL, sealed, bytes + LS_AEAD_TAG_BYTES, aead->head,
                   aead->head_bytes, aead->nonce, aead->key) == 0;
    make_stream(aead, stream);
    memcpy(data.text, sealed, bytes);
    make_tag(aead, &data, bytes, stream, tag);
    bool is_right = crypto_verify_16(tag, sealed + bytes) == 0;
    if (is_right) {
        combine(data.text, stream + BLOCK_BYTES, bytes);
        memcpy(message, data.text, bytes);
    }
    sodium_memzero(stream, sizeof stream);
    return is_right;
}
