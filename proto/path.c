#include "proto/path.h"

#include <sodium.h>
#include <string.h>

enum { TYPE_AT = 0, NUMBER_AT = 1, TOKEN_AT = 5, MAC_AT = TOKEN_AT + LS_PATH_TOKEN_BYTES };
_Static_assert(MAC_AT + LS_CARRIER_MAC_BYTES == LS_PATH_BYTES, "size of both messages");

/* Returns the open question to this address, NULL when there is none. */
static ls_path_try *find_try(ls_path *path, const ls_remote *remote, uint64_t now_ns)
{
    for (uint32_t i = 0; i < LS_PATH_TRIES; i++)
        if (path->tries[i].until_ns > now_ns && ls_remote_is_same(&path->tries[i].remote, remote))
            return &path->tries[i];
    return NULL;
}

/* Returns a free place, or the question that has been without an answer for longest. The address in
 * use is asked each time, so its question is never the oldest. */
static ls_path_try *oldest_try(ls_path *path)
{
    ls_path_try *oldest = &path->tries[0];
    for (uint32_t i = 1; i < LS_PATH_TRIES; i++)
        if (path->tries[i].until_ns < oldest->until_ns)
            oldest = &path->tries[i];
    return oldest;
}

const uint8_t *ls_path_ask(ls_path *path, const ls_remote *remote, uint64_t now_ns,
                           const uint8_t fresh[LS_PATH_TOKEN_BYTES])
{
    ls_path_try *try = find_try(path, remote, now_ns);
    if (!try) {
        try = oldest_try(path);
        try->remote = *remote;
        memcpy(try->token, fresh, sizeof try->token);
    }
    try->until_ns = now_ns + LS_LINK_PATH_NS;
    path->cooldown_until_ns = now_ns + LS_LINK_PATH_AGAIN_NS;
    return try->token;
}

ls_path_answer ls_path_receive(ls_path *path, const ls_remote *used, const ls_remote *from,
                               const uint8_t token[LS_PATH_TOKEN_BYTES], uint64_t now_ns)
{
    ls_path_try *try = find_try(path, from, now_ns);
    if (!try || sodium_memcmp(try->token, token, sizeof try->token) != 0)
        return LS_PATH_UNKNOWN;
    bool is_kept = ls_remote_is_same(used, from);
    if (is_kept)
        memset(path->tries, 0, sizeof path->tries);
    *try = (ls_path_try){0};
    path->cooldown_until_ns = now_ns + LS_LINK_PATH_COOLDOWN_NS;
    return is_kept ? LS_PATH_KEPT : LS_PATH_MOVED;
}

bool ls_path_challenge_encode(uint8_t bytes[LS_PATH_BYTES], const uint8_t *token,
                              ls_carrier_counters *counters,
                              const uint8_t key[LS_CARRIER_KEY_BYTES])
{
    bytes[TYPE_AT] = LS_PATH_CHALLENGE;
    memcpy(bytes + TOKEN_AT, token, LS_PATH_TOKEN_BYTES);
    return ls_carrier_mac_sign(counters, key, bytes, MAC_AT, NUMBER_AT) == LS_OK;
}

bool ls_path_respond(uint8_t bytes[LS_PATH_BYTES], const ls_carrier *carrier,
                     ls_carrier_counters *counters)
{
    if (bytes[TYPE_AT] != LS_PATH_CHALLENGE ||
        ls_carrier_mac_check(counters, carrier->keys[LS_ROLE_SERVER], bytes, LS_PATH_BYTES,
                             NUMBER_AT) != LS_OK)
        return false;
    bytes[TYPE_AT] = LS_PATH_RESPONSE;
    for (uint32_t i = 0; i < 4; i++)
        bytes[NUMBER_AT + i] = (uint8_t)(carrier->connect_id >> 8 * i);
    ls_carrier_mac_append(carrier->keys[LS_ROLE_CLIENT], bytes, MAC_AT);
    return true;
}

uint32_t ls_path_response_id(const uint8_t bytes[LS_PATH_BYTES])
{
    uint32_t id = 0;
    for (uint32_t i = 0; i < 4; i++)
        id |= (uint32_t)bytes[NUMBER_AT + i] << 8 * i;
    return id;
}

const uint8_t *ls_path_response_token(const uint8_t bytes[LS_PATH_BYTES],
                                      const uint8_t key[LS_CARRIER_KEY_BYTES])
{
    bool is_ours =
        bytes[TYPE_AT] == LS_PATH_RESPONSE && ls_carrier_mac_is_right(key, bytes, LS_PATH_BYTES);
    return is_ours ? bytes + TOKEN_AT : NULL;
}
