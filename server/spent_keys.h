/* The ephemeral keys of AUTHs that are used up: the connection has come, or has not come in time.
 * Otherwise an attacker could replay a recorded AUTH while its cookie is valid, and reserve a seat
 * each time. A key is not spent when the grant is made: a copy from another address may have
 * obtained that grant, and the client's own AUTH must still get an answer. The table has a fixed
 * size: when all places of a key are used, the oldest entry is replaced. */
#ifndef LS_SPENT_KEYS_H
#define LS_SPENT_KEYS_H

#include <lockstep/limits.h>

#include <stdbool.h>
#include <stdint.h>

enum { LS_SPENT_KEY_BYTES = 32, LS_SPENT_SECRET_BYTES = 16 };

typedef struct ls_spent_key {
    uint8_t ephemeral[LS_SPENT_KEY_BYTES];
    uint64_t until_ns; /* when no cookie for the key can be valid any more; 0: free */
} ls_spent_key;
typedef struct ls_spent_keys {
    ls_spent_key *items;                   /* LS_SERVER_SPENT_KEYS, open addressing */
    uint8_t secret[LS_SPENT_SECRET_BYTES]; /* keys the hash, so clients cannot choose keys that
                                              share places */
} ls_spent_keys;

void ls_spent_keys_init(ls_spent_keys *keys, const uint8_t secret[LS_SPENT_SECRET_BYTES]);
void ls_spent_keys_reset(ls_spent_keys *keys);
void ls_spent_keys_add(ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns);
bool ls_spent_keys_has(const ls_spent_keys *keys, const uint8_t ephemeral[LS_SPENT_KEY_BYTES],
                       uint64_t now_ns);

#endif
