/* Sealing: encrypts and authenticates every message after the handshake; the receiver accepts each
 * message at most once.
 *
 *   packet  type 1 byte | counter 4, little endian | ciphertext | tag 16
 *
 * ChaCha20-Poly1305 (RFC 8439). The nonce is four zero bytes and the counter in eight; the five
 * header bytes are the associated data. Each direction of each channel has its own key, so no
 * packet can be returned to its sender or moved to the other channel. Counters start at 0 and never
 * repeat. */
#ifndef LS_SEAL_H
#define LS_SEAL_H

#include <lockstep/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_SEAL_KEY_BYTES 32

/* The keys from the handshake: keys[sending role][channel]. */
typedef struct ls_seal_keys {
    uint8_t keys[2][LS_CHANNEL_COUNT][LS_SEAL_KEY_BYTES];
} ls_seal_keys;

/* One end of one session, in the caller's storage. The members are private, except the two counts
 * at the end. */
typedef struct ls_seal {
    uint8_t send_keys[LS_CHANNEL_COUNT][LS_SEAL_KEY_BYTES];
    uint8_t receive_keys[LS_CHANNEL_COUNT][LS_SEAL_KEY_BYTES];
    uint64_t send_next[LS_CHANNEL_COUNT];    /* the counter of the next packet */
    uint64_t receive_next[LS_CHANNEL_COUNT]; /* one above the highest accepted counter */
    uint64_t window[LS_SEAL_WINDOW / 64];    /* tick channel: accepted counters, modulo its size */
    uint64_t opens_failed;    /* packets malformed, forged, or sealed for another session */
    uint64_t replays_refused; /* packets with a counter accepted before or too old */
} ls_seal;

/* Copies the keys for one end; the caller wipes its own copy. */
LS_API void ls_seal_init(ls_seal *seal, const ls_seal_keys *keys, ls_role role);
/* Wipes all keys. After that no packet can be sealed or opened. */
LS_API void ls_seal_reset(ls_seal *seal);

/* Seals one message into `storage`, and sets `packet` to view it, ready for ls_link_send().
 *   errors  LS_ERROR_LIMIT: the channel has sent LS_SEAL_MESSAGES_MAX messages, the caller must end
 *           the session; asserts channel and size */
LS_API ls_status ls_seal_message(ls_seal *seal, const ls_plain *plain,
                                 uint8_t storage[LS_PACKET_BYTES_MAX],
                                 ls_packet *packet) LS_MUST_USE;

/* Opens one packet from hostile bytes. The tick channel accepts any order within the newest
 * LS_SEAL_WINDOW counters, each counter once. The control channel accepts only rising counters. The
 * window moves only after authentication, so a forger cannot move it.
 *   errors  LS_ERROR_CORRUPT: not authentic, counted in opens_failed; LS_ERROR_REFUSED: a replay,
 *           counted in replays_refused. plain->bytes is then 0 */
LS_API ls_status ls_seal_open_message(ls_seal *seal, const ls_packet *packet,
                                      ls_plain *plain) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
