/* Loads the world from a snapshot: at the start, when the server asks for it, and when the ticks in
 * between cannot be had. */
#ifndef LS_CLIENT_LOADING_H
#define LS_CLIENT_LOADING_H

#include "client/playback.h"

/* Called when a session has begun: loads a snapshot, or goes on with the existing world. `before`
 * is the grant of the session before, NULL when there was none. */
void ls_loading_enter(ls_playback *playback, const ls_handshake_accept *before);
/* Fetches a snapshot of `tick_min` or later; gives up after LS_CLIENT_SNAPSHOT_TRIES in a row. */
void ls_loading_begin(ls_playback *playback, uint64_t tick_min, const char *why);
/* One SNAPSHOT_CHUNK, from hostile bytes. */
void ls_loading_receive(ls_playback *playback, const ls_plain *plain);
/* While LOADING: requests missing ranges; once the snapshot is whole, decodes it. */
void ls_loading_run(ls_playback *playback);

#endif
