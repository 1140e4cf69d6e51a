/* Messages of the server within a session. */
#ifndef LS_RECEIVE_H
#define LS_RECEIVE_H

#include "client/playback.h"

/* One sealed packet, from hostile bytes; false when it is not of this session. */
bool ls_receive_packet(ls_playback *playback, const ls_packet *packet);

#endif
