/* Sealing: every message after the handshake is encrypted and authenticated, and taken at most
 * once.
 *
 *   packet  type 1 | flags 1 (zero) | counter 8, little endian | ciphertext | tag 16
 *
 * ChaCha20-Poly1305 (RFC 8439); nonce = four zero bytes and the counter; the ten header bytes are
 * the associated data. Each direction of each channel has its own key, so no packet can be turned
 * back at its sender or moved to the other channel. Counters start at 0 and never repeat. */
#ifndef LS_SEAL_H
#define LS_SEAL_H

#include <lockstep/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_SEAL_KEY_BYTES 32

/* The keys that a handshake derives: keys[role that sends][channel]. */
typedef struct ls_seal_keys {
    uint8_t keys[2][LS_CHANNEL_COUNT][LS_SEAL_KEY_BYTES];
} ls_seal_keys;

/* One end of one session; the caller's storage. Treat as opaque but for the counts. */
typedef struct ls_seal {
    uint8_t send_keys[LS_CHANNEL_COUNT][LS_SEAL_KEY_BYTES];
    uint8_t receive_keys[LS_CHANNEL_COUNT][LS_SEAL_KEY_BYTES];
    uint64_t send_next[LS_CHANNEL_COUNT];    /* the counter of the next packet */
    uint64_t receive_next[LS_CHANNEL_COUNT]; /* one above the highest counter taken */
    uint64_t window[LS_SEAL_WINDOW / 64];    /* tick channel: counters taken, by counter modulo */
    uint64_t opens_failed;                   /* malformed, forged, or sealed for another session */
    uint64_t replays_refused;                /* counter taken before, or too old */
} ls_seal;

/* Takes over the keys for one end; the caller wipes its own copy. */
LS_API void ls_seal_init(ls_seal *seal, const ls_seal_keys *keys, ls_role role);
/* Wipes all keys; everything fails to open afterwards. */
LS_API void ls_seal_reset(ls_seal *seal);

/* Seals one message into `storage`; `packet` then views it, ready for ls_link_send.
 *   errors  LS_ERROR_LIMIT: LS_SEAL_MESSAGES_MAX are sent on this channel, end the session; asserts
 *           channel and size */
LS_API ls_status ls_seal_close(ls_seal *seal, const ls_plain *plain,
                               uint8_t storage[LS_PACKET_BYTES_MAX], ls_packet *packet) LS_MUST_USE;

/* Opens one packet, from hostile bytes. The tick channel takes any order within the newest
 * LS_SEAL_WINDOW counters, each once; the control channel only rising counters. The window moves
 * after authentication only, so a forger cannot move it.
 *   errors  LS_ERROR_CORRUPT: not authentic, counted in opens_failed; LS_ERROR_REFUSED: a replay,
 *           counted in replays_refused. plain->bytes is then 0 */
LS_API ls_status ls_seal_open(ls_seal *seal, const ls_packet *packet, ls_plain *plain) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
