/* Authenticates the datagrams of a carrier (the ENet connection below a session) before ENet sees
 * them. Each datagram has a little-endian counter in the place of ENet's checksum. It ends with a
 * MAC: SipHash-2-4 over all bytes before the MAC.
 *
 * Each direction of a connection has its own key and counters. The seals inside a datagram
 * authenticate only packets; the MAC authenticates ENet's headers too. The counter lets the
 * receiver drop a repeated datagram before it can move one of ENet's windows. Private to proto/. */
#ifndef LS_CARRIER_MAC_H
#define LS_CARRIER_MAC_H

#include "proto/replay_window.h"
#include <lockstep/carrier.h>

/* The counters of one end of a connection; a new connection has zeros. */
typedef struct ls_carrier_counters {
    uint32_t sent;          /* the counter of the last datagram sent; 0: none sent yet */
    uint64_t received_next; /* one above the highest counter accepted; 0: none yet */
    uint64_t window[LS_REPLAY_WORDS];
} ls_carrier_counters;

/* Writes the next counter at offset `counter_at` and appends the MAC (LS_CARRIER_MAC_BYTES), for
 * which `data` has room.
 *   errors  LS_ERROR_LIMIT: LS_CARRIER_DATAGRAMS_MAX were sent with this key; nothing is written */
ls_status ls_carrier_mac_sign(ls_carrier_counters *counters,
                              const uint8_t key[LS_CARRIER_KEY_BYTES], uint8_t *data, size_t bytes,
                              size_t counter_at) LS_MUST_USE;

/* Checks a whole datagram, MAC included, and marks its counter as used.
 *   errors  LS_ERROR_CORRUPT: not authentic; LS_ERROR_REFUSED: the counter was used or is too old;
 *           nothing changes. Asserts that counter and MAC fit */
ls_status ls_carrier_mac_check(ls_carrier_counters *counters,
                               const uint8_t key[LS_CARRIER_KEY_BYTES], const uint8_t *data,
                               size_t bytes, size_t counter_at) LS_MUST_USE;

/* Appends only the MAC, for a message without a counter; `data` has room for the MAC. */
void ls_carrier_mac_append(const uint8_t key[LS_CARRIER_KEY_BYTES], uint8_t *data, size_t bytes);
/* True when the last bytes are the MAC of the bytes before them. Asserts that the MAC fits. */
bool ls_carrier_mac_is_right(const uint8_t key[LS_CARRIER_KEY_BYTES], const uint8_t *data,
                             size_t bytes) LS_MUST_USE;

#endif
