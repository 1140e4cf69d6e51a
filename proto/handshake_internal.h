/* The parts of the handshake that both sides share: message types, layouts and the key schedule.
 * docs/protocol.md has the bytes of HELLO, COOKIE, AUTH, ACCEPT and REJECT and the formulas of the
 * keys; a test compares that page with this code. The design rests on these rules:
 *
 * - The server keeps nothing between HELLO and AUTH: the cookie is keyed BLAKE2b over bucket (a
 *   period of LS_COOKIE_BUCKET_NS), hello hash, e_c (the client's ephemeral key) and address. An
 *   AUTH is therefore valid only for the HELLO that was answered, and a HELLO that was changed on
 *   the way makes the transcripts differ.
 * - Both sides absorb all bytes of the handshake into the transcript before they derive a key, and
 *   every purpose has a label and so its own key. Only bucket and cookie are left out: they prove
 *   an address to the server alone, and the client cannot check them. The client may therefore try
 *   several cookies, and the same ACCEPT is valid for all of them.
 * - The psk is mixed in after the server's static key, because the salt of a password is the
 *   server's identity, which the client learns with the COOKIE. The psk is mixed in before the
 *   first box, because every box must depend on it.
 * - A HELLO's length, magic and version field stay the same in all future versions. */
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

/* The values that both sides know after the COOKIE. */
typedef struct ls_handshake_base {
    uint16_t version_min, version_max;
    uint32_t capabilities; /* the server's */
    const uint8_t *hello_hash;
    const uint8_t *server_static;
    const uint8_t *identity;
} ls_handshake_base;

/* The key schedule: init starts it from the base, absorb adds bytes to its transcript, mix changes
 * its secret. */
void ls_handshake_state_init(ls_handshake_state *state, const ls_handshake_base *base);
void ls_handshake_absorb(ls_handshake_state *state, const void *bytes, size_t count);
void ls_handshake_mix(ls_handshake_state *state, const uint8_t bytes[LS_KEY_BYTES]);
/* Mixes X25519(secret, public) into the schedule. False for a public key of low order. */
bool ls_handshake_mix_exchange(ls_handshake_state *state, const uint8_t secret[LS_KEY_BYTES],
                               const uint8_t public_key[LS_KEY_BYTES]) LS_MUST_USE;
/* Derives the session's keys and the carrier's keys; leaves the carrier's connect id alone. */
void ls_handshake_derive_session(const ls_handshake_state *state, ls_seal_keys *keys,
                                 ls_carrier *carrier);

/* Seals `plain` into a box. Each box has a key of its own, so its nonce is zero. The box
 * authenticates the transcript so far, and is then absorbed into it. */
void ls_handshake_box_seal(ls_handshake_state *state, const char *label, const ls_writer *plain,
                           ls_writer *out);
/* Opens a box, which is the rest of the reader, into `plain`, which has room for it. False, and
 * state unchanged, when the box is not authentic. */
bool ls_handshake_box_open(ls_handshake_state *state, const char *label, ls_reader *box,
                           uint8_t *plain) LS_MUST_USE;

/* Writes the bytes that the certificate's signature covers. */
enum { LS_CERTIFICATE_BYTES = LS_LABEL_BYTES + 32 + 8 };
void ls_handshake_certificate_bytes(const uint8_t server_static[LS_KEY_BYTES], uint64_t expiry_s,
                                    uint8_t bytes[LS_CERTIFICATE_BYTES]);

void ls_handshake_hash(const void *bytes, size_t count, uint8_t hash[LS_KEY_BYTES]);
/* Writes a label, padded with zeros. */
void ls_handshake_label(const char *label, uint8_t bytes[LS_LABEL_BYTES]);
/* Reads the rest of the reader; true when it is all zeros. */
bool ls_handshake_read_zeros(ls_reader *reader);
void ls_handshake_write_zeros(ls_writer *writer, size_t count);

#endif
