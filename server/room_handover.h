/* Hands a match over to another process of the same server, which continues its recording. The
 * match stops between two ticks, its file is released, the other process restores it, and the
 * clients follow: no tick is lost, and the epoch stays.
 *   thread  the server's */
#ifndef LS_ROOM_HANDOVER_H
#define LS_ROOM_HANDOVER_H

#include <lockstep/remote.h>
#include <lockstep/room.h>

/* Stops the match after its last closed tick.
 *   errors  REFUSED: not now, as it is restored or its recording is opening or has failed: try
 *           again; NOT_FOUND: the match is not recorded, or it ends */
ls_status ls_room_handover_begin(ls_room *room, uint64_t now_ns, ls_error *error) LS_MUST_USE;

typedef enum ls_release_state {
    LS_RELEASE_UNDER_WAY,
    LS_RELEASE_DONE,   /* every tick is on the disk, and no thread here uses the recording */
    LS_RELEASE_FAILED, /* some tick is not, e.g. as the disk is full: ls_room_handover_cancel() */
} ls_release_state;
ls_release_state ls_room_handover_release(const ls_room *room);
/* After LS_RELEASE_FAILED: the match goes on here with its sessions. A next file records it as
 * after any failed write. */
void ls_room_handover_cancel(ls_room *room, uint64_t now_ns);
/* After LS_RELEASE_DONE: tells the clients to follow to `to`, and ends the room. NULL: this process
 * takes the match back; the clients lose their connections, and resume here. */
void ls_room_handover_end(ls_room *room, const ls_remote *to, uint64_t now_ns);
/* For the callback room_ended: whether the match was handed over, and so is not over. */
bool ls_room_handover_is_over(const ls_room *room);
/* Lets a match that is not handed over play on here, until its last client has left. */
void ls_room_handover_play_out(ls_room *room);

/* In the other process, directly after the room was opened to restore the recording: the players
 * keep their seats, and the next tick waits for them, LS_SERVER_TAKEOVER_WAIT_NS at most. The
 * room's config must have the recording's epoch. */
void ls_room_handover_take(ls_room *room);
typedef enum ls_takeover_state {
    LS_TAKEOVER_RESTORING,
    LS_TAKEOVER_DONE,
    LS_TAKEOVER_FAILED, /* ls_room_end_reason() tells why */
} ls_takeover_state;
ls_takeover_state ls_room_handover_state(const ls_room *room);

#endif
