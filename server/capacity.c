#include "server/capacity.h"

#include "server/room_state.h"
#include "server/room_table.h"
#include <lockstep/session_limits.h>

#include <string.h>

/* A room takes this from `host_rooms`, which refills per second: 60 make `rooms_per_host` a
 * number per minute. */
#define ROOM_UNITS 60

/* Counts of grants that have not connected yet. */
typedef struct granted {
    uint32_t clients, spectators, newcomers; /* clients: all of them */
    uint32_t loaders;                        /* that will ask for a snapshot */
} granted;

/* Counts the unconnected grants of a host. */
static granted count_granted(const ls_server *server, const ls_remote_key *host)
{
    granted count = {0};
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        const ls_pending *pending = &server->pending.items[i];
        if (!server->pending.keys[i] || !pending->connect_id ||
            !ls_remote_key_is_same(&pending->entrant.host, host))
            continue;
        count.clients++;
        count.spectators += pending->entrant.seat == LS_SEAT_NONE;
        count.newcomers += pending->entrant.is_newcomer;
        count.loaders += !pending->entrant.is_light;
    }
    return count;
}

/* Counts the grants of this host only: clients that ask and never connect must not fill the server.
 * When two hosts race for the last connection, one is refused when it asks again. */
ls_status ls_capacity_connection(const ls_server *server, const ls_remote_key *host,
                                 ls_error *error)
{
    uint32_t coming = count_granted(server, host).clients, of_host = server->connections_per_host;
    if (ls_link_connections(server->link, NULL) + coming >= server->peers_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "all %u connections of the server are in use, try again later%s%s%s",
                            server->peers_max, LS_REMEDY(server->peers_remedy));
    if (of_host && ls_link_connections(server->link, host) + coming >= of_host)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "all %u connections of this address are in use%s%s%s", of_host,
                            LS_REMEDY(server->connections_per_host_remedy));
    return LS_OK;
}

/* Guesses the seats of a room that is not open yet, because its match is unknown: as many as an
 * open room has, or else the default match. */
static uint32_t guess_seats(const ls_server *server)
{
    for (uint32_t i = 0; i < server->slot_count; i++)
        if (server->rooms[i])
            return server->rooms[i]->match.config.player_count;
    return ls_program_match(server->host.program, 0).player_count;
}

static bool has_seat(const ls_server_session *session)
{
    return session->phase != LS_SERVER_SESSION_FREE && session->seat != LS_SEAT_NONE &&
           !session->entrant.takes_over && session->room->state < LS_ROOM_ENDING;
}

ls_capacity_seats ls_capacity_count_seats(const ls_server *server)
{
    ls_capacity_seats seats = {0};
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const ls_room *room = server->rooms[i];
        if (room && room->state < LS_ROOM_ENDING)
            seats.open += room->match.config.player_count;
    }
    for (uint32_t i = 0; i < server->peers_max; i++)
        seats.open -= seats.open > 0 && has_seat(&server->sessions[i]);
    if (server->make_room)
        seats.unopened = (server->rooms_max - server->room_count) * guess_seats(server);
    return seats;
}

/* Whether players may enter a room: its seats are known, and it does not end. */
static bool is_enterable(const ls_room *room)
{
    return room && room->state != LS_ROOM_RESTORING && room->state < LS_ROOM_ENDING;
}

bool ls_capacity_has_seat(const ls_server *server, const ls_room *room)
{
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const ls_room *other = server->rooms[i];
        if (is_enterable(other) && (!room || room == other) &&
            ls_seats_find_free(&other->match.seats) != LS_SEAT_NONE)
            return true;
    }
    return false;
}

bool ls_capacity_may_free_seat(const ls_server *server, const ls_room *room)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const ls_room *other = server->rooms[i];
        if (!is_enterable(other) || (room && room != other))
            continue;
        for (uint32_t seat = 0; seat < other->match.config.player_count; seat++)
            seats += other->match.seats.items[seat].is_taken;
    }
    for (uint32_t i = 0; i < server->peers_max; i++) {
        const ls_server_session *session = &server->sessions[i];
        seats -= session->phase == LS_SERVER_SESSION_ACTIVE && has_seat(session) &&
                 is_enterable(session->room) && (!room || room == session->room);
    }
    return seats > 0;
}

uint32_t ls_capacity_reserve(uint32_t connections, ls_capacity_seats seats)
{
    uint32_t certain = seats.open < connections ? seats.open : connections;
    uint32_t max = connections - connections / LS_SERVER_SPECTATORS_PART;
    uint32_t all = seats.open + seats.unopened < max ? seats.open + seats.unopened : max;
    return all > certain ? all : certain;
}

/* Checks whether spectators leave enough connections for seats, if `coming` more connect. Grants of
 * players need no count: a seat reserved by a grant still counts as open. */
static ls_status check_spectators(const ls_server *server, const ls_remote_key *host,
                                  uint32_t coming, ls_error *error)
{
    ls_capacity_seats seats = ls_capacity_count_seats(server);
    uint32_t kept = ls_capacity_reserve(server->peers_max, seats);
    if (ls_link_connections(server->link, NULL) + coming + kept > server->peers_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "the server keeps %u of its %u connections for open seats, and "
                            "spectators have the others: try again later%s%s%s",
                            kept, server->peers_max, LS_REMEDY(server->peers_remedy));
    uint32_t of_host = server->connections_per_host;
    /* For one address, open seats count only like seats to come, because other players have other
     * addresses. */
    kept =
        ls_capacity_reserve(of_host, (ls_capacity_seats){.unopened = seats.open + seats.unopened});
    if (of_host && ls_link_connections(server->link, host) + coming + kept > of_host)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "the server keeps %u of the %u connections of this address for open "
                            "seats, and spectators have the others: try again later%s%s%s",
                            kept, of_host, LS_REMEDY(server->connections_per_host_remedy));
    return LS_OK;
}

ls_status ls_capacity_spectator(const ls_server *server, const ls_remote_key *host, ls_error *error)
{
    ls_status status = ls_capacity_connection(server, host, error);
    uint32_t coming = count_granted(server, host).spectators + 1;
    return status ? status : check_spectators(server, host, coming, error);
}

bool ls_capacity_keeps(const ls_server *server, uint32_t seat, const ls_remote_key *host)
{
    return seat != LS_SEAT_NONE || check_spectators(server, host, 0, NULL) == LS_OK;
}

uint32_t ls_capacity_unconfirmed(ls_capacity_seats seats)
{
    uint32_t part = (seats.open + seats.unopened) / LS_SERVER_UNCONFIRMED_PART;
    return part > LS_SERVER_UNCONFIRMED_MIN ? part : LS_SERVER_UNCONFIRMED_MIN;
}

ls_status ls_capacity_seat(const ls_server *server, const ls_remote_key *host, ls_error *error)
{
    uint32_t held = count_granted(server, host).newcomers;
    for (uint32_t i = 0; i < server->peers_max; i++) {
        const ls_server_session *session = &server->sessions[i];
        held += session->phase == LS_SERVER_SESSION_ACCEPTED && session->entrant.is_newcomer &&
                ls_remote_key_is_same(&session->entrant.host, host);
    }
    if (held < ls_capacity_unconfirmed(ls_capacity_count_seats(server)))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "%u players of this address hold seats and are not in the match yet: the "
                        "next one gets a seat when they are",
                        held);
}

ls_status ls_capacity_snapshot(ls_server *server, const ls_entrant *entrant, uint64_t now_ns,
                               ls_error *error)
{
    ls_load_budget *budget = &server->host_loads[entrant->bucket];
    uint32_t loaders = count_granted(server, &entrant->host).loaders;
    for (uint32_t i = 0; i < server->peers_max; i++) {
        const ls_server_session *session = &server->sessions[i];
        loaders += session->phase != LS_SERVER_SESSION_FREE && !session->wants_ticks &&
                   !session->entrant.is_light &&
                   ls_remote_key_is_same(&session->entrant.host, &entrant->host);
    }
    loaders++;
    /* A quarter more, for ranges that are sent again. */
    if (ls_load_budget_has(budget, now_ns, loaders + loaders / 4))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "this address has loaded the match many times and can load it %u times a "
                        "minute now%s%s%s",
                        server->snapshots_per_host, LS_REMEDY(server->snapshots_per_host_remedy));
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
    if (!ls_token_bucket_take(&server->host_rooms[bucket], now_ns, ROOM_UNITS)) {
        server->stats.rooms_put_off++;
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "too many rooms were opened from this address, try again in a "
                            "minute%s%s%s",
                            LS_REMEDY(server->rooms_per_host_remedy));
    }
    return LS_OK;
}

void ls_capacity_return_room(ls_server *server, uint32_t bucket)
{
    ls_token_bucket_give(&server->host_rooms[bucket], ROOM_UNITS);
}
