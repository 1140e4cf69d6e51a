/* What a client takes in within a session. */
#ifndef LS_RECEIVE_H
#define LS_RECEIVE_H

#include "client/client_internal.h"

/* One sealed packet, from hostile bytes; false when it is not of this session. */
bool ls_receive_packet(ls_client *client, const ls_packet *packet);

#endif
