/* The sessions of a server, for the one who runs it: more than ls_server_peer() tells. */
#ifndef LS_ROSTER_H
#define LS_ROSTER_H

#include "server/server_state.h"

typedef struct ls_roster_entry {
    ls_peer peer;
    ls_remote remote;
    char address[LS_REMOTE_TEXT_BYTES]; /* as in the log */
    char room[LS_ROOM_BYTES], name[LS_NAME_BYTES];
    char client[LS_CLIENT_ID_BYTES]; /* the client id of its token; "": none */
    int seat;                        /* -1: a spectator */
    bool is_bot, is_light, is_playing, has_diverged;
    uint64_t age_ns;       /* since the connection was established */
    uint64_t ticks_behind; /* closed ticks that it has not acknowledged */
} ls_roster_entry;

/* Writes the sessions that have confirmed, sorted by the slot of their connection; `list` has room
 * for the server's peers_max entries. Returns their number. */
uint32_t ls_roster_take(const ls_server *server, ls_roster_entry *list);

#endif
