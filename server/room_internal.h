/* Creates, opens, extends and destroys a room; used by the server's room table. */
#ifndef LS_ROOM_INTERNAL_H
#define LS_ROOM_INTERNAL_H

#include "server/server_state.h"

/* Creates a room, which takes ownership of the config's sink, recorder and series.
 *   errors  as ls_server_open_room(), but not LIMIT and REFUSED */
ls_status ls_room_create(ls_server *server, const ls_room_config *config, uint32_t slot,
                         ls_room **room, ls_error *error) LS_MUST_USE;
/* Opens a room once the job that begins its recording has ended. */
void ls_room_open(ls_room *room, uint64_t now_ns);
/* Extends the room's waits for players (kept seats, a pause) by a time in which the server could
 * not receive. */
void ls_room_extend(ls_room *room, uint64_t time_ns);
/* Waits for the room's jobs and frees the room. Its sessions must have ended. */
void ls_room_destroy(ls_room *room);

#endif
