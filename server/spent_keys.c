#include "server/spent_keys.h"

#include <lockstep/base.h>
#include <lockstep/entropy.h>
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
    ls_wipe(keys, sizeof *keys);
}

/* Returns the hash of a key; its places are the PROBES ones from there. */
static uint64_t hash_of(const ls_spent_keys *keys, const uint8_t *ephemeral)
{
    uint8_t bytes[sizeof keys->secret + LS_SPENT_KEY_BYTES];
    memcpy(bytes, keys->secret, sizeof keys->secret);
    memcpy(bytes + sizeof keys->secret, ephemeral, LS_SPENT_KEY_BYTES);
    return ls_hash_bytes(bytes, sizeof bytes);
}

static ls_spent_key *place_at(const ls_spent_keys *keys, uint64_t hash, uint32_t probe)
{
    return &keys->items[(hash + probe) % LS_SERVER_SPENT_KEYS];
}

void ls_spent_keys_add(ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns)
{
    uint64_t hash = hash_of(keys, ephemeral);
    ls_spent_key *oldest = place_at(keys, hash, 0);
    for (uint32_t probe = 1; probe < PROBES; probe++) {
        ls_spent_key *place = place_at(keys, hash, probe);
        if (place->until_ns < oldest->until_ns)
            oldest = place;
    }
    memcpy(oldest->ephemeral, ephemeral, sizeof oldest->ephemeral);
    oldest->until_ns = now_ns + 2 * LS_COOKIE_BUCKET_NS;
}

bool ls_spent_keys_has(const ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns)
{
    uint64_t hash = hash_of(keys, ephemeral);
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        const ls_spent_key *place = place_at(keys, hash, probe);
        if (place->until_ns > now_ns &&
            memcmp(place->ephemeral, ephemeral, sizeof place->ephemeral) == 0)
            return true;
    }
    return false;
}
