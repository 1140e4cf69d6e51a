/* The way in: handshake datagrams, before there is a connection. It answers no stranger more than
 * he sent, keeps nothing of him until a cookie proves where he is and a box what he knows, and
 * holds what he is given for LS_SERVER_HANDSHAKE_NS. */
#ifndef LS_ADMISSION_H
#define LS_ADMISSION_H

#include "server/server_state.h"

void ls_admission_init(ls_server *server);
void ls_admission_reset(ls_server *server);
/* One datagram of anybody. */
void ls_admission_receive(ls_server *server, const ls_address *from, const ls_packet *packet,
                          uint64_t now_ns);
/* A connection that was admitted is there: makes it a session that lacks its CONFIRM. */
void ls_admission_connected(ls_server *server, ls_peer peer, uint32_t connect_id, uint64_t now_ns);
/* Gives up what was accepted and did not connect; `room` NULL: in time; else all of that room. */
void ls_admission_expire(ls_server *server, const ls_room *room, uint64_t now_ns);

#endif
