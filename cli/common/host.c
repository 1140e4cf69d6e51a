#include "cli/common/host.h"

#include "proto/resolve.h"

ls_status ls_host_find(const ls_server_address *server, ls_address *address, ls_error *error)
{
    return ls_resolve_one(server->host, server->port, address, error);
}
