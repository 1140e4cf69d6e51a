/* The parts of the handshake that both sides share: message types, layouts and the key schedule.
 * docs/protocol.md has the bytes of HELLO, COOKIE, AUTH, ACCEPT and REJECT and the formulas of the
 * keys; a test compares it with this code. The design rests on these rules:
 *
 * - The server keeps nothing between HELLO and AUTH: the cookie is keyed BLAKE2b over bucket (of
 *   LS_COOKIE_BUCKET_NS), hello hash, e_c and address. The AUTH therefore builds on the HELLO that
 *   was answered, and a HELLO changed on its way makes the transcripts differ.
 * - All bytes that either side saw are absorbed into the transcript before a key is derived, and
 *   every purpose has a label and so a key of its own. Only bucket and cookie are left out: they
 *   prove an address to the server alone, and the client cannot check them. So the client may try
 *   several cookies, and one ACCEPT opens whichever of them the server accepted.
 * - The psk is mixed in after the server's static key, because the salt of a password is the
 *   server's identity, which the client learns with the COOKIE. It is mixed in before the first
 *   box, because no box may be sealed without it.
 * - A HELLO's length, magic and version field hold for every version to come. */
#ifndef LS_HANDSHAKE_INTERNAL_H
#define LS_HANDSHAKE_INTERNAL_H

#include <lockstep/handshake.h>

enum {
    LS_HANDSHAKE_HELLO = 0x41,
    LS_HANDSHAKE_COOKIE = 0x42,
    LS_HANDSHAKE_AUTH = 0x43,
    LS_HANDSHAKE_ACCEPT = 0x44,
    LS_HANDSHAKE_REJECT = 0x45,
};

enum {
    LS_KEY_BYTES = 32,
    LS_LABEL_BYTES = 16,
    LS_BOX_TAG_BYTES = 16,
    LS_AUTH_COOKIE_BYTES = 1 + 4 + 32,                         /* type, bucket, cookie */
    LS_AUTH_HEADER_BYTES = LS_AUTH_COOKIE_BYTES + 32 + 32 + 2, /* the fields before the token */
    LS_AUTH_PLAIN_BYTES_MAX = LS_AUTH_BYTES - LS_AUTH_HEADER_BYTES - LS_BOX_TAG_BYTES,
    LS_ACCEPT_HEADER_BYTES = 1 + 32,
    LS_ACCEPT_PLAIN_BYTES_MAX = LS_ACCEPT_BYTES_MAX - LS_ACCEPT_HEADER_BYTES - LS_BOX_TAG_BYTES,
};

#define LS_HANDSHAKE_MAGIC "LKST"

/* The values known to both sides after the COOKIE. */
typedef struct ls_handshake_base {
    uint16_t version_min, version_max;
    uint32_t capabilities; /* the server's */
    const uint8_t *hello_hash;
    const uint8_t *server_static;
    const uint8_t *identity;
} ls_handshake_base;

/* The key schedule. */
void ls_handshake_state_init(ls_handshake_state *state, const ls_handshake_base *base);
void ls_handshake_absorb(ls_handshake_state *state, const void *bytes, size_t count);
void ls_handshake_mix(ls_handshake_state *state, const uint8_t bytes[LS_KEY_BYTES]);
/* Mixes X25519(secret, public) in. False for a public key of low order. */
bool ls_handshake_mix_exchange(ls_handshake_state *state, const uint8_t secret[LS_KEY_BYTES],
                               const uint8_t public_key[LS_KEY_BYTES]) LS_MUST_USE;
/* Fills all but the carrier's id. */
void ls_handshake_derive_session(const ls_handshake_state *state, ls_seal_keys *keys,
                                 ls_carrier *carrier);

/* A box holds one message under a key of its own, so its nonce is zero; it authenticates the
 * transcript, which holds all that came before, and is then absorbed itself. */
void ls_handshake_box_seal(ls_handshake_state *state, const char *label, const ls_writer *plain,
                           ls_writer *out);
/* Opens the reader's rest into `plain`, which has room for it. False, and state unchanged, when it
 * is not authentic. */
bool ls_handshake_box_open(ls_handshake_state *state, const char *label, ls_reader *box,
                           uint8_t *plain) LS_MUST_USE;

/* The bytes under the certificate's signature. */
enum { LS_CERTIFICATE_BYTES = LS_LABEL_BYTES + 32 + 8 };
void ls_handshake_certificate_bytes(const uint8_t server_static[LS_KEY_BYTES], uint64_t expiry_s,
                                    uint8_t bytes[LS_CERTIFICATE_BYTES]);

void ls_handshake_hash(const void *bytes, size_t count, uint8_t hash[LS_KEY_BYTES]);
/* A label padded with zeros. */
void ls_handshake_label(const char *label, uint8_t bytes[LS_LABEL_BYTES]);
/* True when all that is left is zeros; consumes it. */
bool ls_handshake_read_zeros(ls_reader *reader);
void ls_handshake_write_zeros(ls_writer *writer, size_t count);

#endif
