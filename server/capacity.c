#include "server/capacity.h"

#include "server/room_table.h"
#include <lockstep/conduct_limits.h>

#include <string.h>

/* Budgets are per second; charging 60 makes this one per minute. */
#define ROOM_UNITS 60

/* Grants of this host that have not connected yet. */
static uint32_t count_granted(const ls_server *server, const ls_address *address)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        const ls_pending *pending = &server->pending.items[i];
        count += server->pending.keys[i] && pending->connect_id &&
                 memcmp(pending->entrant.address.host, address->host, sizeof address->host) == 0;
    }
    return count;
}

/* Grants of other hosts do not count: a client that asks and never connects must not fill the
 * server. When two clients race for the last connection, one is refused when it asks again. */
ls_status ls_capacity_connection(const ls_server *server, const ls_address *address,
                                 ls_error *error)
{
    uint32_t granted = count_granted(server, address), of_host = server->peers_per_address;
    if (ls_link_connections(server->link, NULL) + granted >= server->peers_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "all %u connections of the server are in use, try again later",
                            server->peers_max);
    if (of_host && ls_link_connections(server->link, address) + granted >= of_host)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "all %u connections that one address may have are in use", of_host);
    return LS_OK;
}

ls_status ls_capacity_room(ls_server *server, uint32_t bucket, uint64_t now_ns, ls_error *error)
{
    uint64_t lag_ns = ls_room_table_lag_ns(server);
    if (lag_ns > LS_SERVER_BUSY_NS) {
        server->stats.rooms_put_off++;
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "the server is busy, its matches are %llu ms behind: no room can be "
                            "opened now, try again later",
                            (unsigned long long)(lag_ns / (LS_SECOND_NS / 1000)));
    }
    if (!ls_token_bucket_take(&server->openers[bucket], now_ns, ROOM_UNITS)) {
        server->stats.rooms_put_off++;
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "too many rooms were opened from this address, try again in a minute");
    }
    return LS_OK;
}

void ls_capacity_return_room(ls_server *server, uint32_t bucket)
{
    ls_token_bucket_give(&server->openers[bucket], ROOM_UNITS);
}
