/* A room's recording: each tick before its broadcast, roots when they are known, the disk waited
 * for by a job, keyframes packed by another. A recording that fails is given up, the match goes on.
 */
#ifndef LS_ROOM_RECORDING_H
#define LS_ROOM_RECORDING_H

#include "server/server_internal.h"

/* A job begins it, with a copy of the config. Until it has begun nothing may be recorded. */
void ls_room_record_begin(ls_room *room, const ls_recorder_config *config);
/* True once, when that is done; record.status says how. */
bool ls_room_record_has_begun(ls_room *room) LS_MUST_USE;
void ls_room_record_frame(ls_room *room, const ls_frame *frame);
void ls_room_record_root(ls_room *room, uint64_t root);
/* The match is taken up again under the room's epoch. */
void ls_room_record_epoch(ls_room *room);
/* Whether a keyframe is due; then the driver is to bring a snapshot for it. */
bool ls_room_record_wants_keyframe(const ls_room *room);
/* The tick at which it may be due, so that the driver's next job does not go further: the file
 * behind one that has failed begins where that ends, and no tick is in neither. UINT64_MAX:
 * nowhere. */
uint64_t ls_room_record_stop(const ls_room *room);
/* What the driver has brought besides roots: column hashes, a snapshot for a keyframe. */
void ls_room_record_world(ls_room *room);
/* Begins to sync when so many ticks are unsynced as the room wants at most. */
void ls_room_record_sync(ls_room *room);
/* Takes note of a sync, of a keyframe that is packed, of the end. */
void ls_room_record_collect(ls_room *room);
/* Begins to close: a job writes the closing record and waits for the disk, behind what is under
 * way. Nothing is recorded from then on. */
void ls_room_record_finish(ls_room *room, ls_closing_reason reason);
/* It has come to its end, or there was none. */
bool ls_room_record_is_over(const ls_room *room);
/* What stands in front of a recording of this room, under a salt of its own. */
void ls_room_record_header(const ls_room *room, ls_recording_header *header);
/* Waits for the job and closes. */
void ls_room_record_close(ls_room *room);

#endif
