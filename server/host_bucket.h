/* Maps a host or a network to one of a server's LS_SERVER_BUCKETS budgets. */
#ifndef LS_HOST_BUCKET_H
#define LS_HOST_BUCKET_H

#include "server/server_state.h"

/* Returns the bucket of a host or a network. The hash is keyed, so strangers cannot choose hosts
 * that share a bucket. */
uint32_t ls_host_bucket(const ls_server *server, const ls_remote_key *part);

#endif
