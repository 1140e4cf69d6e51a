/* What a client says once it has keys, and what it is answered at once. */
#ifndef LS_DIALOGUE_H
#define LS_DIALOGUE_H

#include "server/server_internal.h"

/* One sealed packet, from hostile bytes. It may end the session. */
void ls_dialogue_hear(ls_server *server, ls_session *session, const ls_packet *packet,
                      uint64_t now_ns);
/* Announces the verdict over a session, once, when it is ripe. False when that ended the session.
 */
bool ls_dialogue_judge(ls_server *server, ls_session *session, uint64_t now_ns);

#endif
