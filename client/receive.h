/* Handles the server's messages within a session. */
#ifndef LS_RECEIVE_H
#define LS_RECEIVE_H

#include "client/playback.h"

/* Takes one sealed packet of hostile bytes. False when it is not of this session. */
bool ls_receive_packet(ls_playback *playback, const ls_packet *packet);

#endif
