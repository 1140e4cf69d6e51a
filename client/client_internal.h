/* The parts of a client, from the lowest to the highest: each uses only the parts before it. */
#ifndef LS_CLIENT_INTERNAL_H
#define LS_CLIENT_INTERNAL_H

#include "client/connect.h"
#include "client/connection.h"
#include "client/outbox.h"
#include "client/playback.h"
#include <lockstep/client.h>

struct ls_client {
    ls_connection connection;
    ls_connect connect;
    ls_outbox outbox;
    ls_playback playback;
    uint64_t resume_ns; /* how long the client tries to resume a lost session; 0: never */
    bool has_stepped;
};

#endif
