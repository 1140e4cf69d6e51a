#include "client/follow.h"

#include <lockstep/link_remote.h>
#include <lockstep/session_limits.h>

/* Counts a move; false when there were too many in this minute. */
static bool may_follow_again(ls_connection *connection)
{
    if (!connection->follows || connection->now_ns - connection->follows_ns >= 60 * LS_SECOND_NS) {
        connection->follows_ns = connection->now_ns;
        connection->follows = 0;
    }
    return connection->follows++ < LS_CLIENT_FOLLOWS;
}

bool ls_follow(ls_connect *connect)
{
    ls_connection *connection = connect->connection;
    char address[LS_REMOTE_TEXT_BYTES];
    const char *refusal = NULL;
    connection->is_led = false;
    if (!may_follow_again(connection))
        refusal = "the server has moved too often";
    else if (ls_link_redirect(connection->link, &connection->led_to) != LS_OK)
        refusal = "this client may not or cannot reach it";
    ls_link_describe(connection->link, &connection->led_to, address);
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
