/* A room's recording: each tick before its broadcast, roots when they are known, the disk waited
 * for by a job, keyframes packed by another. A recording that fails is given up, the match goes on.
 */
#ifndef LS_ROOM_RECORD_H
#define LS_ROOM_RECORD_H

#include "server/server_internal.h"

void ls_room_record_frame(ls_room *room, const ls_frame *frame);
void ls_room_record_root(ls_room *room, uint64_t root);
/* The match is taken up again under the room's epoch. */
void ls_room_record_epoch(ls_room *room);
/* Whether a keyframe is due; then the driver is to bring a snapshot for it. */
bool ls_room_record_wants_keyframe(const ls_room *room);
/* What the driver has brought besides roots: column hashes, a snapshot for a keyframe. */
void ls_room_record_world(ls_room *room);
/* Begins to sync when so many ticks are unsynced as the room wants at most. */
void ls_room_record_sync(ls_room *room);
/* Takes note of a sync and of a keyframe that is packed. */
void ls_room_record_collect(ls_room *room);
/* The closing record; waits for the disk. */
void ls_room_record_finish(ls_room *room, ls_closing_reason reason);
/* What stands in front of a recording of this room, under a salt of its own. */
void ls_room_record_header(const ls_room *room, ls_recording_header *header);
/* Waits for the job and closes. */
void ls_room_record_close(ls_room *room);

#endif
