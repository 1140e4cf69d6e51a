/* Which of a server's LS_SERVER_BUCKETS budgets an address, or a part of one, has. */
#ifndef LS_HOST_BUCKET_H
#define LS_HOST_BUCKET_H

#include "server/server_state.h"

/* The bucket of a host or a network. The key keeps strangers from choosing addresses that share
 * one. */
uint32_t ls_host_bucket(const ls_server *server, ls_address part);

#endif
