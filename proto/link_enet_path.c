#include "proto/link_enet_path.h"

#include "core/base/fault_injection.h"
#include "proto/link_enet_post.h"
#include <lockstep/entropy.h>

#include <string.h>

static void ask(ls_enet_link *self, const ls_carrier_entry *entry, const ls_remote *remote)
{
    uint8_t fresh[LS_PATH_TOKEN_BYTES], bytes[LS_PATH_BYTES];
    ls_entropy_fill(NULL, fresh, sizeof fresh);
    const uint8_t *token =
        ls_path_ask(ls_carriers_path(self->carriers, entry), remote, self->now_ns, fresh);
    if (!ls_path_challenge_encode(bytes, token, ls_carriers_counters(self->carriers, entry),
                                  entry->carrier.keys[LS_ROLE_SERVER])) {
        self->stats.sends_failed++;
        return;
    }
    self->stats.paths_asked++;
    ls_enet_post(self, remote, bytes, sizeof bytes);
}

static void move(ls_enet_link *self, ls_carrier_entry *entry, const ls_remote *to)
{
    entry->remote = *to;
    entry->host = ls_enet_host(to);
    self->host->peers[entry->slot].address = ls_enet_address(self, to, entry->carrier.connect_id);
    self->slots[entry->slot].has_moved = self->has_moves = true;
    self->stats.peers_moved++;
}

void ls_enet_path_ask(ls_enet_link *self, uint32_t slot, const ls_remote *from, size_t bytes)
{
    ls_carrier_entry *entry = ls_carriers_find(self->carriers, self->slots[slot].connect_id);
    LS_ASSERT(entry && entry->is_held);
    if (LS_FAULT(PATH_MOVES_AT_ONCE))
        move(self, entry, from);
    /* A CHALLENGE must not be longer than the datagram that caused it, or an attacker could amplify
     * traffic. */
    if (bytes < LS_PATH_BYTES ||
        !ls_path_may_ask(ls_carriers_path(self->carriers, entry), self->now_ns))
        return;
    ask(self, entry, &entry->remote);
    ask(self, entry, from);
}

/* True when the host of this address may have another peer; peers that moved there count too. */
static bool may_move_to(const ls_enet_link *self, const ls_carrier_entry *entry,
                        const ls_remote *to)
{
    const ls_remote_key host = ls_enet_host(to);
    return ls_remote_key_is_same(&entry->host, &host) ||
           ls_carriers_count_held(self->carriers, &host) < self->host->duplicatePeers;
}

static bool receive_response(ls_enet_link *self, const ls_remote *from, const uint8_t *data)
{
    ls_carrier_entry *entry = ls_carriers_find(self->carriers, ls_path_response_id(data));
    if (!entry || !entry->is_held || self->slots[entry->slot].state != LS_ENET_OPEN)
        return false;
    const uint8_t *token = ls_path_response_token(data, entry->carrier.keys[LS_ROLE_CLIENT]);
    if (!token)
        return false;
    ls_path_answer answer = ls_path_receive(ls_carriers_path(self->carriers, entry), &entry->remote,
                                            from, token, self->now_ns);
    if (answer == LS_PATH_UNKNOWN)
        return false;
    if (answer == LS_PATH_MOVED && may_move_to(self, entry, from))
        move(self, entry, from);
    return true;
}

bool ls_enet_path_receive(ls_enet_link *self, const ls_remote *from, uint8_t data[LS_PATH_BYTES])
{
    if (self->role == LS_ROLE_SERVER)
        return receive_response(self, from, data);
    if (self->carrier.connect_id == 0 || !ls_path_respond(data, &self->carrier, &self->counters))
        return false;
    ls_enet_post(self, &self->server, data, LS_PATH_BYTES);
    return true;
}

bool ls_enet_path_take_move(ls_enet_link *self, ls_link_event *event)
{
    for (uint32_t slot = 0; self->has_moves && slot < self->slot_count; slot++) {
        if (!self->slots[slot].has_moved)
            continue;
        self->slots[slot].has_moved = false;
        if (self->slots[slot].state != LS_ENET_OPEN)
            continue;
        *event = (ls_link_event){.kind = LS_LINK_MOVED,
                                 .peer = ls_enet_peer_id(self, slot),
                                 .remote = *ls_enet_peer_remote(self, slot)};
        return true;
    }
    self->has_moves = false;
    return false;
}
