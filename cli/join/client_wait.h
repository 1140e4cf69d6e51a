/* Waits for the links of many clients at once. */
#ifndef LS_CLIENT_WAIT_H
#define LS_CLIENT_WAIT_H

#include "cli/network/socket_set.h"

/* Waits as ls_loop_wait() does, but for all links of the set. Sets flags[number] of each link that
 * has packets. */
void ls_client_wait_for(ls_socket_set *links, uint64_t wake_ns, uint8_t *flags);

#endif
