/* What a client takes in within a session. */
#ifndef LS_CLIENT_HEARING_H
#define LS_CLIENT_HEARING_H

#include "client/client_internal.h"

/* One sealed packet, from hostile bytes; false when it is not of this session. */
bool ls_hearing_take(ls_client *client, const ls_packet *packet);

#endif
