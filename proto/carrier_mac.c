#include "proto/carrier_mac.h"

#include "core/base/fault_injection.h"

#include <sodium.h>

_Static_assert(LS_CARRIER_MAC_BYTES == crypto_shorthash_BYTES, "code size");
_Static_assert(LS_CARRIER_KEY_BYTES == crypto_shorthash_KEYBYTES, "key size");

enum { COUNTER_BYTES = 4 };

void ls_carrier_mac_append(const uint8_t key[LS_CARRIER_KEY_BYTES], uint8_t *data, size_t bytes)
{
    crypto_shorthash(data + bytes, data, bytes, key);
}

bool ls_carrier_mac_is_right(const uint8_t key[LS_CARRIER_KEY_BYTES], const uint8_t *data,
                             size_t bytes)
{
    uint8_t code[LS_CARRIER_MAC_BYTES];
    LS_ASSERT(bytes >= sizeof code);
    crypto_shorthash(code, data, bytes - sizeof code, key);
    return sodium_memcmp(code, data + bytes - sizeof code, sizeof code) == 0;
}

ls_status ls_carrier_mac_sign(ls_carrier_counters *counters,
                              const uint8_t key[LS_CARRIER_KEY_BYTES], uint8_t *data, size_t bytes,
                              size_t counter_at)
{
    LS_ASSERT(counter_at + COUNTER_BYTES <= bytes);
    if (counters->sent >= LS_CARRIER_DATAGRAMS_MAX)
        return LS_ERROR_LIMIT;
    uint32_t counter = ++counters->sent;
    for (uint32_t i = 0; i < COUNTER_BYTES; i++)
        data[counter_at + i] = (uint8_t)(counter >> 8 * i);
    ls_carrier_mac_append(key, data, bytes);
    return LS_OK;
}

ls_status ls_carrier_mac_check(ls_carrier_counters *counters,
                               const uint8_t key[LS_CARRIER_KEY_BYTES], const uint8_t *data,
                               size_t bytes, size_t counter_at)
{
    LS_ASSERT(counter_at + COUNTER_BYTES + LS_CARRIER_MAC_BYTES <= bytes);
    uint32_t counter = 0;
    for (uint32_t i = 0; i < COUNTER_BYTES; i++)
        counter |= (uint32_t)data[counter_at + i] << 8 * i;
    if (LS_FAULT(CARRIER_WINDOW_EARLY) &&
        ls_replay_is_fresh(counters->window, counters->received_next, counter))
        ls_replay_take(counters->window, &counters->received_next, counter);
    if (!ls_carrier_mac_is_right(key, data, bytes))
        return LS_ERROR_CORRUPT;
    if (!ls_replay_is_fresh(counters->window, counters->received_next, counter) &&
        !LS_FAULT(CARRIER_REPLAYS))
        return LS_ERROR_REFUSED;
    ls_replay_take(counters->window, &counters->received_next, counter);
    return LS_OK;
}
