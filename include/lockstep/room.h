/* A room: one match, its players and spectators, its recording. A server
 * (include/lockstep/server.h) holds any number of rooms and steps them; these calls control and
 * query one.
 *   thread  the server's */
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
/* The state before tick stats.simulated. Call it between steps; it waits for the tick being
 * simulated, so it is for tests. NULL: the simulation hangs and was given up (stats.is_lost). */
LS_API ls_world *ls_room_world(ls_room *room);
/* The same without waiting; NULL while a tick is being simulated. */
LS_API ls_world *ls_room_idle_world(ls_room *room);
/* For room_ended: passes the world to the caller, who may use it only after the room is closed,
 * since they share pages until then. NULL as above. */
LS_API ls_world *ls_room_take_world(ls_room *room);
/* The root after the last tick, of a match that has ENDED. */
LS_API uint64_t ls_room_final_root(const ls_room *room);
/* The reason for people; "" while it runs. */
LS_API const char *ls_room_end_reason(const ls_room *room);

/* Pauses or resumes the match after the next tick. */
LS_API void ls_room_pause(ls_room *room, bool wants_pause);
/* Ends the match in order: no more joins or ticks, closing record, then up to LS_SERVER_LINGER_NS
 * in which clients fetch missing ticks and learn that it ended. Repeated calls change nothing. */
LS_API void ls_room_drain(ls_room *room, uint64_t now_ns);

/* Seats whose holders may return with a resume secret, to store beside the recording
 * (server/seats_file.h). The version rises with each change. */
LS_API uint64_t ls_room_seats_version(const ls_room *room);
LS_API void ls_room_seats(const ls_room *room, struct ls_seats_file *file);

#ifdef __cplusplus
}
#endif

#endif
