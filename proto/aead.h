/* ChaCha20-Poly1305 (RFC 8439) for packets: the result of libsodium's function of this name, in
 * less time for short messages. Private to proto/. */
#ifndef LS_AEAD_H
#define LS_AEAD_H

#include <lockstep/base.h>

enum {
    LS_AEAD_KEY_BYTES = 32,
    LS_AEAD_NONCE_BYTES = 12,
    LS_AEAD_TAG_BYTES = 16,
    LS_AEAD_HEAD_BYTES_MAX = 16
};

/* Key, nonce and associated data of a message; views of the caller. */
typedef struct ls_aead {
    const uint8_t *key, *nonce;
    const uint8_t *head; /* the associated data, 1..LS_AEAD_HEAD_BYTES_MAX bytes */
    uint32_t head_bytes;
} ls_aead;

/* Encrypts `bytes` bytes into `sealed`, which gets a tag after them. The two may not overlap. */
void ls_aead_seal(const ls_aead *aead, const uint8_t *message, uint32_t bytes, uint8_t *sealed);
/* Decrypts `bytes` bytes that a tag follows. False if the tag is wrong; nothing is written then. */
bool ls_aead_open(const ls_aead *aead, const uint8_t *sealed, uint32_t bytes,
                  uint8_t *message) LS_MUST_USE;

#endif
