#include "server/pending.h"

#include <string.h>

/* Slots probed for one token. Ids are random, so a longer run only happens in a table that is
 * nearly full. */
#define PROBES 32

void ls_pending_init(ls_pending_table *table)
{
    table->items = ls_alloc(LS_SERVER_PENDING * sizeof *table->items);
    table->keys = ls_alloc(LS_SERVER_PENDING * sizeof *table->keys);
}

void ls_pending_reset(ls_pending_table *table)
{
    if (table->items)
        ls_wipe(table->items, LS_SERVER_PENDING * sizeof *table->items);
    ls_free(table->items);
    ls_free(table->keys);
    *table = (ls_pending_table){0};
}

static uint64_t key_of(const ls_remote *remote, const uint8_t *ephemeral)
{
    uint64_t key = 0, first = 0, last = 0;
    memcpy(&key, ephemeral, sizeof key);
    memcpy(&first, remote->bytes, sizeof first);
    memcpy(&last, remote->bytes + sizeof remote->bytes - sizeof last, sizeof last);
    return (key ^ first ^ last) | 1;
}

/* Compares remote and key too, because a client can choose ones with equal hashes. */
ls_pending *ls_pending_find(ls_pending_table *table, const ls_remote *remote,
                            const uint8_t ephemeral[32])
{
    uint64_t key = key_of(remote, ephemeral);
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        ls_pending *pending = &table->items[i];
        if (table->keys[i] == key && ls_remote_is_same(&pending->entrant.remote, remote) &&
            memcmp(pending->ephemeral, ephemeral, sizeof pending->ephemeral) == 0)
            return pending;
    }
    return NULL;
}

ls_pending *ls_pending_find_id(ls_pending_table *table, uint32_t connect_id)
{
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++)
        if (table->keys[i] && table->items[i].connect_id == connect_id)
            return &table->items[i];
    return NULL;
}

ls_pending *ls_pending_add(ls_pending_table *table, const ls_remote *remote,
                           const uint8_t ephemeral[32], uint64_t now_ns)
{
    uint32_t i = 0;
    while (i < LS_SERVER_PENDING && table->keys[i])
        i++;
    if (i == LS_SERVER_PENDING)
        return NULL;
    ls_pending *pending = &table->items[i];
    table->keys[i] = key_of(remote, ephemeral);
    pending->since_ns = pending->judged_ns = now_ns;
    pending->until_ns = now_ns + LS_SERVER_HANDSHAKE_NS;
    pending->entrant.remote = *remote;
    memcpy(pending->ephemeral, ephemeral, sizeof pending->ephemeral);
    return pending;
}

void ls_pending_release(ls_pending_table *table, ls_pending *pending)
{
    table->keys[pending - table->items] = 0;
    ls_wipe(pending, sizeof *pending);
}

void ls_used_tokens_init(ls_used_tokens *tokens)
{
    tokens->items = ls_alloc(LS_SERVER_USED_TOKENS * sizeof *tokens->items);
}

void ls_used_tokens_reset(ls_used_tokens *tokens)
{
    ls_free(tokens->items);
    tokens->items = NULL;
}

bool ls_used_tokens_add(ls_used_tokens *tokens, const ls_token *token, const ls_remote_key *host,
                        uint64_t unix_s)
{
    uint32_t start;
    memcpy(&start, token->id, sizeof start);
    ls_used_token *place = NULL;
    for (uint32_t i = 0; i < PROBES; i++) {
        ls_used_token *item = &tokens->items[(start + i) % LS_SERVER_USED_TOKENS];
        bool is_free = item->expiry_s <= unix_s;
        if (!is_free && memcmp(item->id, token->id, sizeof item->id) == 0)
            return ls_remote_key_is_same(&item->host, host);
        if (is_free && !place)
            place = item;
    }
    if (!place)
        return false;
    memcpy(place->id, token->id, sizeof place->id);
    place->host = *host;
    place->expiry_s = token->expiry_s;
    return true;
}
