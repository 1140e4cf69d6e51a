#include "server/server_successor.h"

#include "server/server_state.h"
#include <lockstep/link_remote.h>

bool ls_server_is_stopping(const ls_server *server)
{
    return server->is_draining && !server->successor[0];
}

void ls_server_set_successor(ls_server *server, const ls_remote *successor, bool forwards)
{
    server->is_draining = successor || ls_server_is_stopping(server);
    server->successor[0] = 0;
    server->forward = successor && forwards ? *successor : (ls_remote){{0}};
    if (successor)
        ls_link_describe(server->link, successor, server->successor);
}

bool ls_server_is_draining(const ls_server *server)
{
    return server->is_draining;
}

void ls_server_set_awaiting(ls_server *server, bool is_awaiting)
{
    server->is_awaiting = is_awaiting;
}

void ls_server_close_doors(ls_server *server)
{
    ls_server_set_successor(server, NULL, false);
    ls_server_set_awaiting(server, false);
    server->is_draining = true;
}
