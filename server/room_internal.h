/* How a server creates, opens and destroys a room. */
#ifndef LS_ROOM_INTERNAL_H
#define LS_ROOM_INTERNAL_H

#include "server/server_state.h"

/* Takes over what the config hands over.
 *   errors  those of ls_server_open_room() but LIMIT and REFUSED */
ls_status ls_room_create(ls_server *server, const ls_room_config *config, uint32_t slot,
                         ls_room **room, ls_error *error) LS_MUST_USE;
/* Opens a room once the job that begins its recording has ended. */
void ls_room_open(ls_room *room, uint64_t now_ns);
/* Waits for the room's jobs. Its sessions have ended. */
void ls_room_destroy(ls_room *room);

#endif
