/* What a client says once it has keys, and what it is answered at once. */
#ifndef LS_DIALOGUE_H
#define LS_DIALOGUE_H

#include "server/server_internal.h"

/* One sealed packet, from hostile bytes. It may end the session. */
void ls_dialogue_hear(ls_session *session, const ls_packet *packet, uint64_t now_ns);
/* New roots are there: takes up the reports that were held for them. False when the verdict ended
 * the session; as all below. */
bool ls_dialogue_settle(ls_session *session, uint64_t now_ns);
/* Announces the verdict over a session, once, when it is ripe, and does what the room's policy
 * says.
 */
bool ls_dialogue_judge(ls_session *session, uint64_t now_ns);
/* A new snapshot is there: answers who waited for it. */
bool ls_dialogue_serve_snapshot(ls_session *session, uint64_t now_ns);
/* Tells a client to load a snapshot, since its ticks are not ours. */
void ls_dialogue_reload(ls_session *session, uint64_t now_ns);

#endif
