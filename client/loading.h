/* Loads the world from a snapshot: at the start, when the server demands it, and when missed ticks
 * are no longer available. */
#ifndef LS_CLIENT_LOADING_H
#define LS_CLIENT_LOADING_H

#include "client/playback.h"

/* Called when a session has begun: loads a snapshot, or continues with the existing world. `before`
 * is the grant of the previous session, NULL if there was none. */
void ls_loading_enter(ls_playback *playback, const ls_handshake_accept *before);
/* Fetches a snapshot of `tick_min` or later. After LS_CLIENT_SNAPSHOT_TRIES in a row that did not
 * lead to the head, the client gives up as LOST. A light client has no world to load, and continues
 * at once. */
void ls_loading_begin(ls_playback *playback, uint64_t tick_min, const char *why);
/* Takes one SNAPSHOT_CHUNK of hostile bytes. */
void ls_loading_receive(ls_playback *playback, const ls_plain *plain);
/* While LOADING: requests missing ranges. Decodes the snapshot once it is complete. */
void ls_loading_run(ls_playback *playback);

#endif
