/* The server's side of the handshake for one connection: stateless until an AUTH proves who asks.
 */
#ifndef LS_ADMISSION_H
#define LS_ADMISSION_H

#include "server/server_internal.h"

/* One packet of a connection that speaks the handshake. It may end the session. */
void ls_admission_hear(ls_server *server, ls_session *session, const ls_packet *packet,
                       uint64_t now_ns);
/* Whether the bytes are a handshake message, as their first byte says. */
bool ls_admission_is_handshake(const ls_packet *packet);

#endif
