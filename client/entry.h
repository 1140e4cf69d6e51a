/* The client's way in: HELLO, trust, AUTH, ACCEPT, CONFIRM. */
#ifndef LS_CLIENT_ENTRY_H
#define LS_CLIENT_ENTRY_H

#include "client/client_internal.h"

/* The link is there: begins. */
void ls_entry_begin(ls_client *client);
/* One packet while in HANDSHAKE, from hostile bytes. */
void ls_entry_hear(ls_client *client, const ls_packet *packet);
/* Says again what was not answered. */
void ls_entry_repeat(ls_client *client);

#endif
