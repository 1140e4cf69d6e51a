/* Handles the server's messages within a session. */
#ifndef LS_RECEIVE_H
#define LS_RECEIVE_H

#include "client/playback.h"

/* Takes one sealed packet of hostile bytes. False when it is not of this session. */
bool ls_receive_packet(ls_playback *playback, const ls_packet *packet);
/* Ends the session after END, unless a tick before the end is here and may run. */
void ls_receive_run_end(ls_playback *playback);

#endif
