/* The client's UPDATE: what it has, what it lacks, its orders, states and roots. */
#ifndef LS_UPDATE_H
#define LS_UPDATE_H

#include "client/client_internal.h"

void ls_update_send(ls_client *client);
/* When the next one is due, at the latest. */
uint64_t ls_update_due_ns(const ls_client *client);

#endif
