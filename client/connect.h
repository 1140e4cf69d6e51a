/* The client's way in, for the first time and again: HELLO, trust, AUTH, ACCEPT, the carrier,
 * CONFIRM.
 *
 * Until the ACCEPT opens, nothing that comes is proven to be the server's. So a refusal, and a
 * server that is not trusted, are only remembered: they count when nothing better has come for
 * LS_CLIENT_REJECT_NS. And an AUTH that stays without an answer may have followed a forged COOKIE:
 * after some tries the attempt begins anew. */
#ifndef LS_CONNECT_H
#define LS_CONNECT_H

#include "client/client_internal.h"

/* Copies what the handshake needs. */
void ls_connect_init(ls_client *client, const ls_client_config *config);
void ls_connect_reset(ls_client *client);

/* Begins; a session that is there stays until the carrier is to connect. */
void ls_connect_begin(ls_client *client);
/* Breaks off: the session that is there lives. */
void ls_connect_cancel(ls_client *client);
/* One datagram, from hostile bytes. */
void ls_connect_hear(ls_client *client, const ls_packet *packet);
/* The link has connected or could not. */
void ls_connect_connected(ls_client *client, ls_peer peer);
void ls_connect_disconnected(ls_client *client);
/* Says again what was not answered, gives up what is refused. */
void ls_connect_run(ls_client *client);

#endif
