/* Handles handshake datagrams, before a connection exists. An answer to an unproven address is
 * never longer than its question. The server stores nothing until a cookie proves the address and
 * the sealed box of an AUTH proves the key. It then holds a grant for LS_SERVER_HANDSHAKE_NS.
 *
 * An AUTH passes these checks in this order; the last column is the answer to a sender that a check
 * stops.
 *   ls_handshake_server_knows  cookie of this address and HELLO             nothing
 *   ls_pending_find            an AUTH that was answered before             the same answer again
 *   ls_spent_keys_has          an AUTH whose grant is over                  nothing
 *   may_authenticate           budgets of the host and of all               REJECT 6, try later
 *   ls_pending_add             too many clients were answered lately        REJECT 6
 *   ls_handshake_server_auth   token, key and box                           nothing
 *   ls_entrance_check_token    expired, or used from another host           nothing
 *   ls_admission_rights_check  a ban; what the token allows: play, watch,
 *                              room                                         REJECT 4
 *   ls_admission_rights_check_process
 *                              the server stops, or matches move            REJECT 4 or 6
 *   ls_capacity_*, ls_room_finder_find, check_room, ls_entrance_choose_seat
 *                              connections, rooms, seats, a second login    REJECT 3, 4 or 6
 * Instead of a REJECT, ls_admission_rights_forward() may answer with the address of the process
 * that the match moves to. Checks that depend on the client's identity come last: the token has
 * proved it by then, so the client may be told why. An AUTH that was put off is judged again when
 * what it waits for may have come. `auth->token.client` is the identity; `auth->token.id` names one
 * token. */
#ifndef LS_ADMISSION_H
#define LS_ADMISSION_H

#include "server/server_state.h"

void ls_admission_init(ls_server *server);
void ls_admission_reset(ls_server *server);
/* Handles one datagram of hostile bytes from any remote. */
void ls_admission_receive(ls_server *server, const ls_remote *from, const ls_packet *packet,
                          uint64_t now_ns);
/* Called when an admitted connection is established: makes it a session that waits for its CONFIRM.
 */
void ls_admission_connected(ls_server *server, ls_peer peer, uint32_t connect_id, uint64_t now_ns);
/* Releases expired grants. If `room` is not NULL, releases all grants of that room instead. */
void ls_admission_expire(ls_server *server, const ls_room *room, uint64_t now_ns);

#endif
