/* Handshake datagrams, before there is a connection. An answer to an unproven address is never
 * longer than its question. The server keeps nothing until a cookie proves the address and a box
 * the key, and holds a grant for LS_SERVER_HANDSHAKE_NS. */
#ifndef LS_ADMISSION_H
#define LS_ADMISSION_H

#include "server/server_state.h"

void ls_admission_init(ls_server *server);
void ls_admission_reset(ls_server *server);
/* One datagram from any address. */
void ls_admission_receive(ls_server *server, const ls_address *from, const ls_packet *packet,
                          uint64_t now_ns);
/* An admitted connection is established: makes it a session that waits for its CONFIRM. */
void ls_admission_connected(ls_server *server, ls_peer peer, uint32_t connect_id, uint64_t now_ns);
/* The link has proved that a session's client is at another address: the limits of that address
 * hold from now on. May end the session. */
void ls_admission_moved(ls_session *session, const ls_address *address, uint64_t now_ns);
/* Releases expired grants; with a `room`, all grants of that room. */
void ls_admission_expire(ls_server *server, const ls_room *room, uint64_t now_ns);

#endif
