/* Finds what differs in a diverged client's world: asks the client within budgets, logs the first
 * cell and writes a bundle (server/evidence_bundle.h). The match goes on meanwhile; the desync
 * policy applies afterwards. The server pins the state in question at once, also while another
 * client is asked.
 *   limits  one client is asked at a time, LS_SERVER_INQUIRIES_OPEN with those that wait; one
 *           inquiry per session and seat, LS_SERVER_INQUIRIES per match, LS_SERVER_EVIDENCE_NS
 *           each; LS_SERVER_EVIDENCE_FILES per server. The log names what is refused */
#ifndef LS_DESYNC_INQUIRY_H
#define LS_DESYNC_INQUIRY_H

#include "server/room_state.h"
#include <lockstep/evidence_limits.h>

/* Opens an inquiry about a diverged session. False, with the reason in the log: it is not asked. */
bool ls_desync_inquiry_begin(ls_session *session, uint64_t now_ns) LS_MUST_USE;
/* True while its inquiry is open. */
bool ls_desync_inquiry_is_open(const ls_session *session);
/* One EVIDENCE message, from hostile bytes. False: dropped. */
bool ls_desync_inquiry_receive(ls_session *session, const ls_plain *plain) LS_MUST_USE;
/* Once a step, after the driver's job: asks, asks again, or gives up. */
void ls_desync_inquiry_step(ls_room *room, uint64_t now_ns);
/* Hands work to the driver, before its next job is submitted. */
void ls_desync_inquiry_submit(ls_room *room);
/* True when no bundle is being written. */
bool ls_desync_inquiry_is_over(const ls_room *room);
/* Waits for the bundles being written. The driver's job must not be under way. */
void ls_desync_inquiry_reset(ls_room *room);

#endif
