#include "proto/link_enet_candidates.h"

void ls_enet_candidates_init(ls_enet_candidates *candidates, const ls_address *addresses,
                             uint32_t count)
{
    LS_ASSERT(count >= 1 && count <= LS_ENET_CANDIDATES_MAX);
    *candidates = (ls_enet_candidates){.count = count};
    for (uint32_t i = 0; i < count; i++)
        candidates->items[i] = ls_address_to_remote(&addresses[i]);
}

static uint32_t find(const ls_enet_candidates *candidates, const ls_remote *remote)
{
    uint32_t i = 0;
    while (i < candidates->count && !ls_remote_is_same(&candidates->items[i], remote))
        i++;
    return i;
}

bool ls_enet_candidates_has(const ls_enet_candidates *candidates, const ls_remote *from)
{
    return find(candidates, from) < candidates->count;
}

void ls_enet_candidates_hear(ls_enet_candidates *candidates, const ls_remote *from)
{
    uint32_t i = find(candidates, from);
    if (i == candidates->count)
        return;
    candidates->heard = i;
    candidates->has_answered[i] = true;
}

ls_remote ls_enet_candidates_settle(ls_enet_candidates *candidates)
{
    candidates->hellos = 0;
    for (uint32_t i = 0; i < candidates->count; i++)
        candidates->has_answered[i] = false;
    return candidates->items[candidates->heard];
}

bool ls_enet_candidates_may_lead_to(const ls_enet_candidates *candidates, const ls_address *next)
{
    ls_address_reach reach = LS_REACH_MACHINE;
    bool has_family = false;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const ls_address known = ls_address_of_remote(&candidates->items[i]);
        ls_address_reach known_reach = ls_address_get_reach(&known);
        reach = known_reach > reach ? known_reach : reach;
        has_family |= ls_address_is_ipv4(&known) == ls_address_is_ipv4(next);
    }
    return has_family && ls_address_is_unicast(next) && ls_address_get_reach(next) >= reach;
}
