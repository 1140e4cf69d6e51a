/* The log lines about what differs in a diverged client's world. */
#ifndef LS_DESYNC_LOG_H
#define LS_DESYNC_LOG_H

#include "server/room_state.h"

/* The client as the line of its verdict names it; its session may have ended. */
typedef struct ls_desync_subject {
    uint64_t tick;
    ls_peer peer;
    int seat; /* -1: a spectator */
    const char *name;
} ls_desync_subject;

/* Writes a line of this event; `text` has its further fields. */
void ls_desync_log_write(const ls_room *room, const ls_desync_subject *subject, const char *event,
                         const char *text);
/* Counts and logs that the server has found no difference, and why. */
void ls_desync_log_unexplained(ls_room *room, const ls_desync_subject *subject, const char *why);

#endif
