/* The confirmed world: runs ticks in order, and follows the client's seat in their frames. */
#ifndef LS_CLIENT_CONFIRMED_H
#define LS_CLIENT_CONFIRMED_H

#include "client/playback.h"

/* Runs the next tick; false when it has not come, may not run yet, or the session is over. */
bool ls_confirmed_run(ls_playback *playback);
/* Keeps the state of the present world, and its root to be reported. */
void ls_confirmed_note_root(ls_playback *playback);

#endif
