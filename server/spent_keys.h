/* The ephemeral keys whose connection has come, or has not come in time. An AUTH counts once: a
 * recorded one would otherwise hold a seat for seconds, as often as it is sent again while its
 * cookie is good. Not from the grant on: another address could have got that with a copy, and the
 * client would be without an answer. The table has a fixed size: when the few places of a key are
 * taken, the oldest one goes. */
#ifndef LS_SPENT_KEYS_H
#define LS_SPENT_KEYS_H

#include <lockstep/limits.h>

#include <stdbool.h>
#include <stdint.h>

enum { LS_SPENT_KEY_BYTES = 32, LS_SPENT_SECRET_BYTES = 16 };

typedef struct ls_spent_key {
    uint8_t ephemeral[LS_SPENT_KEY_BYTES];
    uint64_t until_ns; /* as long as a cookie for it may be good; 0: free */
} ls_spent_key;
typedef struct ls_spent_keys {
    ls_spent_key *items;                   /* LS_SERVER_SPENT_KEYS, open addressing */
    uint8_t secret[LS_SPENT_SECRET_BYTES]; /* no client can choose keys that share places */
} ls_spent_keys;

void ls_spent_keys_init(ls_spent_keys *keys, const uint8_t secret[LS_SPENT_SECRET_BYTES]);
void ls_spent_keys_reset(ls_spent_keys *keys);
void ls_spent_keys_add(ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns);
bool ls_spent_keys_has(const ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns);

#endif
