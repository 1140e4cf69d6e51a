/* Finds what differs in a diverged client's world: asks the client within budgets, logs the first
 * differing cell and writes a bundle (server/evidence_bundle.h). The match continues meanwhile; the
 * desync policy applies afterwards. The server pins the state in question at once, even while it
 * asks another client.
 *   limits  one client is asked at a time; at most LS_SERVER_INQUIRIES_OPEN inquiries are open. One
 *           inquiry per session and seat, LS_SERVER_INQUIRIES per match, LS_SERVER_EVIDENCE_NS
 *           each; LS_SERVER_EVIDENCE_FILES per server. The log names each refusal */
#ifndef LS_DESYNC_INQUIRY_H
#define LS_DESYNC_INQUIRY_H

#include "server/room_state.h"
#include <lockstep/evidence_limits.h>

/* Opens an inquiry about a diverged session. False when the client is not asked; the log has the
 * reason. */
bool ls_desync_inquiry_begin(ls_server_session *session, uint64_t now_ns) LS_MUST_USE;
/* True while an inquiry about the session is open. */
bool ls_desync_inquiry_is_open(const ls_server_session *session);
/* Takes one EVIDENCE message of hostile bytes. False when it is dropped. */
bool ls_desync_inquiry_receive(ls_server_session *session, const ls_plain *plain) LS_MUST_USE;
/* Called once a step, after the driver's job: sends or repeats a question, or gives up. */
void ls_desync_inquiry_step(ls_room *room, uint64_t now_ns);
/* Gives the exchanges to the driver, before its next job is submitted. */
void ls_desync_inquiry_submit(ls_room *room);
/* True when no bundle is being written. */
bool ls_desync_inquiry_is_over(const ls_room *room);
/* Waits for the bundles being written and frees the inquiries. No job of the driver may be running.
 */
void ls_desync_inquiry_reset(ls_room *room);

#endif
