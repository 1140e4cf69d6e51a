/* Hands a match over to another process of the same server, which continues its recording. The
 * match stops between two ticks, its file is released, the other process restores it, and the
 * clients follow: no tick is lost, and the epoch stays.
 *   thread  that of the server */
#ifndef LS_ROOM_HANDOVER_H
#define LS_ROOM_HANDOVER_H

#include <lockstep/address.h>
#include <lockstep/server.h>

/* Admits no newcomers from now on. With `forwards` they are sent to the successor's address, and so
 * are players of matches that are there already; else the reason names it. Players may return to
 * the matches that are still here. When no room is left, the server is done, LS_SERVER_FORWARD_NS
 * later if it forwards. NULL: it takes newcomers again. */
void ls_server_set_successor(ls_server *server, const ls_address *successor, bool forwards);
bool ls_server_has_successor(const ls_server *server);
/* While it is true, only clients with a seat here are let in, and others wait: a server that takes
 * matches over would take their players for new ones. */
void ls_server_set_awaiting(ls_server *server, bool is_awaiting);

/* Stops the match after its last closed tick.
 *   errors  REFUSED: not now, as it is restored or its recording is opening or has failed: try
 * again; NOT_FOUND: the match is not recorded, or it ends */
ls_status ls_room_handover_begin(ls_room *room, uint64_t now_ns, ls_error *error) LS_MUST_USE;
/* True when no thread of this process uses the recording any more. */
bool ls_room_handover_is_released(const ls_room *room);
/* Tells the clients to follow to `to`, and ends the room. NULL: this process takes the match back;
 * the clients lose their connections, and resume here. */
void ls_room_handover_end(ls_room *room, const ls_address *to, uint64_t now_ns);
/* In room_ended: the match is not over. */
bool ls_room_handover_is_over(const ls_room *room);
/* Lets a match that is not handed over play on here, until its last player has left. */
void ls_room_handover_play_out(ls_room *room);

/* In the other process, directly after the room was opened to restore the recording: the players
 * keep their seats, and the next tick waits for them, LS_SERVER_TAKEOVER_WAIT_NS at most. The
 * config's epoch was that of the recording. */
void ls_room_handover_take(ls_room *room);
typedef enum ls_takeover_state {
    LS_TAKEOVER_RESTORING,
    LS_TAKEOVER_DONE,
    LS_TAKEOVER_FAILED, /* ls_room_end_reason() */
} ls_takeover_state;
ls_takeover_state ls_room_handover_state(const ls_room *room);

#endif
