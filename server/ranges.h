/* Answers clients that download a snapshot by ranges, within the budgets of the session, its host
 * and the server. */
#ifndef LS_RANGES_H
#define LS_RANGES_H

#include "server/server_state.h"

/* Fills the budgets of hosts and of the server. Needs an initialized `server->egress`. */
void ls_ranges_init(ls_server *server);
/* Sends the part of the range that the budgets allow; the client asks again for the rest. If no
 * snapshot suits the request, it waits for the next one. May end the session. */
void ls_ranges_answer(ls_server_session *session, const ls_snapshot_request *request,
                      uint64_t now_ns);
/* Answers a request that waited for a snapshot. May end the session. */
void ls_ranges_serve(ls_server_session *session, uint64_t now_ns);

#endif
