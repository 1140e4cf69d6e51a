/* The client's world comes from a snapshot: at the start, after the server asks for it, and when
 * the ticks in between cannot be had. */
#ifndef LS_CLIENT_LOADING_H
#define LS_CLIENT_LOADING_H

#include "client/client_internal.h"

/* A session has begun: loads, or goes on with the world that is there. `before` is what the session
 * before was granted, NULL when there was none. */
void ls_loading_enter(ls_client *client, const ls_handshake_accept *before);
/* Fetches a snapshot of `tick_min` or later; gives up after LS_CLIENT_SNAPSHOT_TRIES in a row. */
void ls_loading_begin(ls_client *client, uint64_t tick_min, const char *why);
/* One SNAPSHOT_CHUNK, from hostile bytes. */
void ls_loading_hear(ls_client *client, const ls_plain *plain);
/* While LOADING: asks for what is missing, loads what is whole. */
void ls_loading_run(ls_client *client);

#endif
