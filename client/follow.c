#include "client/follow.h"

#include <lockstep/address.h>
#include <lockstep/conduct_limits.h>
#include <lockstep/link_remote.h>

/* A server elsewhere must not direct a client at services of the client's own machine. */
static bool is_allowed(const ls_connection *connection, const ls_remote *from)
{
    const ls_address now = ls_address_of_remote(from);
    return ls_address_is_loopback(&now) || !ls_address_is_loopback(&connection->led_to);
}

/* Counts a move; false when there were too many in this minute. */
static bool may_follow_again(ls_connection *connection)
{
    if (!connection->follows || connection->now_ns - connection->follows_ns >= 60 * LS_SECOND_NS) {
        connection->follows_ns = connection->now_ns;
        connection->follows = 0;
    }
    return connection->follows++ < LS_CLIENT_FOLLOWS;
}

bool ls_follow(ls_connect *connect, const ls_remote *from)
{
    ls_connection *connection = connect->connection;
    const ls_remote to = ls_address_to_remote(&connection->led_to);
    char address[LS_ADDRESS_TEXT_BYTES];
    const char *refusal = NULL;
    connection->is_led = false;
    if (!is_allowed(connection, from))
        refusal = "it is an address of this machine";
    else if (!may_follow_again(connection))
        refusal = "the server has moved too often";
    else if (ls_link_redirect(connection->link, &to) != LS_OK)
        refusal = "this socket cannot reach it";
    ls_address_format(&connection->led_to, address);
    if (refusal) {
        ls_connection_log(connection, "follow_refused address=%s reason=\"%s\"", address, refusal);
        return false;
    }
    ls_connection_log(connection, "follow address=%s tick=%llu", address,
                      (unsigned long long)*connection->tick);
    connection->peer = LS_PEER_NONE;
    if (connection->has_accept)
        ls_connect_name_room(connect);
    return true;
}
