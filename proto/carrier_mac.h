/* Authenticates a datagram of the carrier before the carrier's library sees it: by a counter in the
 * place of ENet's checksum, little-endian, and by SipHash-2-4 over the whole datagram, at its end.
 * Each direction of a connection has a key and counters of its own. The seals inside authenticate
 * packets; this authenticates the headers around them, and refuses a repeated datagram before it
 * can move a window of ENet's. Private to proto/. */
#ifndef LS_CARRIER_MAC_H
#define LS_CARRIER_MAC_H

#include "proto/replay_window.h"
#include <lockstep/carrier.h>

/* One end of one connection; zeros are a new one. */
typedef struct ls_carrier_counters {
    uint32_t sent;          /* the counter of the last datagram; the first is 1 */
    uint64_t received_next; /* one above the highest that was taken */
    uint64_t window[LS_REPLAY_WORDS];
} ls_carrier_counters;

/* Puts the next counter at `counter_at` and appends LS_CARRIER_MAC_BYTES, for which `data` has
 * room. errors  LS_ERROR_LIMIT: LS_CARRIER_DATAGRAMS_MAX were sent with this key; nothing is
 * written */
ls_status ls_carrier_mac_sign(ls_carrier_counters *counters,
                              const uint8_t key[LS_CARRIER_KEY_BYTES], uint8_t *data, size_t bytes,
                              size_t counter_at) LS_MUST_USE;

/* Checks a whole datagram, whose code is its last bytes, and takes its counter.
 *   errors  LS_ERROR_CORRUPT: not authentic; LS_ERROR_REFUSED: a repeated one, or too old; nothing
 *           changes. Asserts that counter and code fit */
ls_status ls_carrier_mac_check(ls_carrier_counters *counters,
                               const uint8_t key[LS_CARRIER_KEY_BYTES], const uint8_t *data,
                               size_t bytes, size_t counter_at) LS_MUST_USE;

/* The code alone, for a message without a counter: appends it; `data` has room for it. */
void ls_carrier_mac_append(const uint8_t key[LS_CARRIER_KEY_BYTES], uint8_t *data, size_t bytes);
/* Whether the last bytes are the code of those before. Asserts that it fits. */
bool ls_carrier_mac_is_right(const uint8_t key[LS_CARRIER_KEY_BYTES], const uint8_t *data,
                             size_t bytes) LS_MUST_USE;

#endif
