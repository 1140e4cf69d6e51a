/* A client's step within a match: runs ticks, sends updates, and loads a snapshot when the client
 * is too far from the head. */
#ifndef LS_CLIENT_PLAYING_H
#define LS_CLIENT_PLAYING_H

#include "client/playback.h"

/* Does everything due in LOADING and PLAYING. */
void ls_playing_run(ls_playback *playback);
/* The time when the next step is due. */
uint64_t ls_playing_next_ns(const ls_playback *playback);

#endif
