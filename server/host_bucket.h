/* Maps an address, or a network part of one, to one of a server's LS_SERVER_BUCKETS budgets. */
#ifndef LS_HOST_BUCKET_H
#define LS_HOST_BUCKET_H

#include "server/server_state.h"

/* Returns the bucket of a host or a network. The hash is keyed, so strangers cannot choose
 * addresses that share a bucket. */
uint32_t ls_host_bucket(const ls_server *server, ls_address part);

#endif
