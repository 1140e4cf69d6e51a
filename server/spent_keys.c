#include "server/spent_keys.h"

#include <lockstep/base.h>
#include <lockstep/hash.h>

#include <string.h>

enum { PROBES = 16 };

void ls_spent_keys_init(ls_spent_keys *keys, const uint8_t secret[LS_SPENT_SECRET_BYTES])
{
    keys->items = ls_alloc(LS_SERVER_SPENT_KEYS * sizeof *keys->items);
    memcpy(keys->secret, secret, sizeof keys->secret);
}

void ls_spent_keys_reset(ls_spent_keys *keys)
{
    ls_free(keys->items);
    *keys = (ls_spent_keys){0};
}

static ls_spent_key *place_of(const ls_spent_keys *keys, const uint8_t *ephemeral, uint32_t probe)
{
    uint8_t bytes[sizeof keys->secret + LS_SPENT_KEY_BYTES];
    memcpy(bytes, keys->secret, sizeof keys->secret);
    memcpy(bytes + sizeof keys->secret, ephemeral, LS_SPENT_KEY_BYTES);
    return &keys->items[(ls_hash_bytes(bytes, sizeof bytes) + probe) % LS_SERVER_SPENT_KEYS];
}

void ls_spent_keys_add(ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns)
{
    ls_spent_key *oldest = place_of(keys, ephemeral, 0);
    for (uint32_t probe = 1; probe < PROBES; probe++) {
        ls_spent_key *place = place_of(keys, ephemeral, probe);
        if (place->until_ns < oldest->until_ns)
            oldest = place;
    }
    memcpy(oldest->ephemeral, ephemeral, sizeof oldest->ephemeral);
    oldest->until_ns = now_ns + 2 * LS_COOKIE_BUCKET_NS;
}

bool ls_spent_keys_has(const ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns)
{
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        const ls_spent_key *place = place_of(keys, ephemeral, probe);
        if (place->until_ns > now_ns &&
            memcmp(place->ephemeral, ephemeral, sizeof place->ephemeral) == 0)
            return true;
    }
    return false;
}
