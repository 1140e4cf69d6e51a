/* The confirmed world: runs ticks in order, and follows the client's seat in their frames. */
#ifndef LS_CLIENT_CONFIRMED_H
#define LS_CLIENT_CONFIRMED_H

#include "client/playback.h"

/* Runs the next tick. False when its frame is missing, the limit forbids it, or the session is
 * over. */
bool ls_confirmed_run(ls_playback *playback);
/* Puts the player in play again, in the seat that the server kept for it, once the ticks before
 * playback->kept_tick have run. */
void ls_confirmed_keep_seat(ls_playback *playback);
/* Keeps the confirmed world's present state as evidence, and queues its root for the server. */
void ls_confirmed_note_root(ls_playback *playback);

#endif
