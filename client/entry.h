/* The client's way in, for the first time and again: HELLO, trust, AUTH, ACCEPT, the carrier,
 * CONFIRM.
 *
 * Until the ACCEPT opens, nothing that comes is proven to be the server's. So a refusal, and a
 * server that is not trusted, are only remembered: they count when nothing better has come for
 * LS_CLIENT_REJECT_NS. And an AUTH that stays without an answer may have followed a forged COOKIE:
 * after some tries the attempt begins anew. */
#ifndef LS_CLIENT_ENTRY_H
#define LS_CLIENT_ENTRY_H

#include "client/client_internal.h"

/* Copies what the handshake needs. */
void ls_entry_init(ls_client *client, const ls_client_config *config);
void ls_entry_reset(ls_client *client);

/* Begins; a session that is there stays until the carrier is to connect. */
void ls_entry_begin(ls_client *client);
/* Breaks off: the session that is there lives. */
void ls_entry_cancel(ls_client *client);
/* One datagram, from hostile bytes. */
void ls_entry_hear(ls_client *client, const ls_packet *packet);
/* The link has connected or could not. */
void ls_entry_connected(ls_client *client, ls_peer peer);
void ls_entry_disconnected(ls_client *client);
/* Says again what was not answered, gives up what is refused. */
void ls_entry_run(ls_client *client);

#endif
