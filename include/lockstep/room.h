/* A room: one match, its players and spectators, and its recording. A server
 * (include/lockstep/server.h) holds any number of rooms and steps them. These calls control and
 * query one room.
 *   thread  the thread of the server */
#ifndef LS_ROOM_H
#define LS_ROOM_H

#include <lockstep/room_config.h>
#include <lockstep/room_stats.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

LS_API ls_room_stats ls_room_get_stats(const ls_room *room);

LS_API const char *ls_room_name(const ls_room *room);
/* The state before tick stats.simulated. For tests: call it between steps; it waits for the tick
 * being simulated. NULL: the simulation hangs and was abandoned (stats.is_lost). */
LS_API ls_world *ls_room_world(ls_room *room);
/* Like ls_room_world(), but never waits; NULL while a tick is being simulated. */
LS_API ls_world *ls_room_idle_world(ls_room *room);
/* For the room_ended callback: passes the world to the caller, who may use it only after the room
 * is closed, because room and world share pages until then. NULL as ls_room_world(). */
LS_API ls_world *ls_room_take_world(ls_room *room);
/* The root after the last tick; only for a match that has ENDED. */
LS_API uint64_t ls_room_final_root(const ls_room *room);
/* The reason for the end, for people; "" while the match runs. */
LS_API const char *ls_room_end_reason(const ls_room *room);

/* Pauses or resumes the match after the next tick. False: the match already is in that state, or
 * will be after that tick. */
LS_API bool ls_room_pause(ls_room *room, bool wants_pause);
/* Sends a text to all sessions whose clients show such texts. Returns their number.
 *   shape   UTF-8 without control characters; cut after LS_REASON_BYTES - 1 bytes */
LS_API uint32_t ls_room_say(ls_room *room, const char *text, uint64_t now_ns);
/* Ends the match in order: no more joins or ticks, and a closing record. Clients then have up to
 * LS_SERVER_LINGER_NS to fetch missing ticks and learn of the end. Repeated calls change
 * nothing. */
LS_API void ls_room_drain(ls_room *room, uint64_t now_ns);

/* The seats that clients may resume with a secret, to be stored beside the recording
 * (server/seats_file.h). The version rises with each change. */
LS_API uint64_t ls_room_seats_version(const ls_room *room);
LS_API void ls_room_seats(const ls_room *room, struct ls_seats_file *file);

#ifdef __cplusplus
}
#endif

#endif
