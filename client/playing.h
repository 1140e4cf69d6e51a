/* The client inside the match: runs the ticks that came, reports, sees when it falls behind. */
#ifndef LS_CLIENT_PLAYING_H
#define LS_CLIENT_PLAYING_H

#include "client/client_internal.h"

/* Does what is due in LOADING and PLAYING. */
void ls_playing_run(ls_client *client);
/* Asks a silent server for a sign of life, when that is due. */
void ls_playing_ping(ls_client *client);
/* When something is due next. */
uint64_t ls_playing_next_ns(const ls_client *client);

#endif
