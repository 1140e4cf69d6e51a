/* The confirmed world: runs the ticks that are in turn, and sees what they say about the client. */
#ifndef LS_CLIENT_CONFIRMED_H
#define LS_CLIENT_CONFIRMED_H

#include "client/client_internal.h"

/* Runs the next tick; false when it is not there, may not run yet, or the session is over. */
bool ls_confirmed_run(ls_client *client);
/* Keeps the root of the world as it is, to be reported. */
void ls_confirmed_note_root(ls_client *client);

#endif
