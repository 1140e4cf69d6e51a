#include "tests/support/link_memory_path.h"

#include <lockstep/hash.h>

#include <string.h>

static bool is_same(const ls_address *a, const ls_address *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool ls_memory_path_may_come(const ls_memory_link *self, const ls_memory_slot *slot,
                             const ls_parcel *parcel)
{
    const ls_carrier_entry *entry = ls_carriers_find(self->carriers, slot->connect_id);
    return is_same(&parcel->address, &slot->address) ||
           entry->carrier.capabilities & LS_CAPABILITY_MOVE;
}

static void ask(ls_memory_link *self, const ls_memory_slot *slot, const ls_address *to,
                uint64_t now_ns)
{
    ls_path *path =
        ls_carriers_path(self->carriers, ls_carriers_find(self->carriers, slot->connect_id));
    const uint64_t number[2] = {self->network->seed, ++self->network->token_next};
    const uint64_t hash = ls_hash_bytes(number, sizeof number);
    const ls_remote remote = ls_address_to_remote(to);
    uint8_t fresh[LS_PATH_TOKEN_BYTES];
    memcpy(fresh, &hash, sizeof fresh);
    const ls_packet packet = {.channel = LS_CHANNEL_TICKS,
                              .bytes = LS_PATH_TOKEN_BYTES,
                              .data = ls_path_ask(path, &remote, now_ns, fresh)};
    ls_parcel *parcel = ls_parcel_create(LS_PARCEL_CHALLENGE, &packet);
    parcel->connect_id = slot->connect_id;
    parcel->address = *to;
    parcel->client = slot->client;
    self->stats.paths_asked++;
    parcel = ls_network_transmit(self->network, LS_ROLE_SERVER, parcel, now_ns);
    LS_ASSERT(!parcel);
}

/* Follows the rule of the gate of the real link: the address of the newest parcel is where the
 * client may be. */
void ls_memory_path_note(ls_memory_link *self, ls_memory_slot *slot, const ls_parcel *parcel,
                         uint64_t now_ns)
{
    const ls_carrier_entry *entry = ls_carriers_find(self->carriers, slot->connect_id);
    bool is_newest = parcel->counter > slot->counter;
    if (is_newest)
        slot->counter = parcel->counter;
    if (!is_newest || is_same(&parcel->address, &slot->address) ||
        !ls_path_may_ask(ls_carriers_path(self->carriers, entry), now_ns))
        return;
    ask(self, slot, &slot->address, now_ns);
    ask(self, slot, &parcel->address, now_ns);
}

bool ls_memory_path_answer(ls_memory_link *self, ls_memory_slot *slot, const ls_parcel *parcel,
                           uint64_t now_ns)
{
    ls_carrier_entry *entry = ls_carriers_find(self->carriers, slot->connect_id);
    const ls_remote from = ls_address_to_remote(&parcel->address);
    if (parcel->bytes != LS_PATH_TOKEN_BYTES ||
        ls_path_receive(ls_carriers_path(self->carriers, entry), &entry->remote, &from,
                        parcel->data, now_ns) != LS_PATH_MOVED)
        return false;
    slot->address = parcel->address;
    entry->remote = from;
    entry->host = ls_address_host(&parcel->address);
    self->stats.peers_moved++;
    return true;
}
