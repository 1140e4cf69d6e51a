/* What a room does to find out in what a client's world differs: it asks, within budgets, and logs
 * the first cell, writes a bundle (server/evidence_bundle.h). Meanwhile the match goes on; what
 * happens to the client comes after it. Its state is held fast at once, also while another client
 * is asked. limits  one is asked at a time, LS_SERVER_INQUIRIES_OPEN with those that wait; one
 * inquiry of a session and of a seat, LS_SERVER_INQUIRIES of a match, LS_SERVER_EVIDENCE_NS each;
 *           LS_SERVER_EVIDENCE_FILES of a server, of so many bytes. What is beyond is in the log */
#ifndef LS_DESYNC_INQUIRY_H
#define LS_DESYNC_INQUIRY_H

#include "server/room_state.h"
#include <lockstep/evidence_limits.h>

/* A session that has diverged is to be asked; false when that is not to be, and logged why. */
bool ls_desync_inquiry_begin(ls_session *session, uint64_t now_ns) LS_MUST_USE;
/* Whether it is still being asked. */
bool ls_desync_inquiry_is_open(const ls_session *session);
/* An EVIDENCE, hostile bytes. False: dropped. */
bool ls_desync_inquiry_receive(ls_session *session, const ls_plain *plain) LS_MUST_USE;
/* In each step, behind the driver's job when that has ended: asks, asks again, gives up. */
void ls_desync_inquiry_step(ls_room *room, uint64_t now_ns);
/* Before the driver's next job is submitted. */
void ls_desync_inquiry_submit(ls_room *room);
/* No bundle is being written. */
bool ls_desync_inquiry_is_over(const ls_room *room);
/* Waits for what is being written. The driver's job is not under way. */
void ls_desync_inquiry_reset(ls_room *room);

#endif
