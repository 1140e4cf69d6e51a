/* How the server makes a room and takes it down. */
#ifndef LS_ROOM_INTERNAL_H
#define LS_ROOM_INTERNAL_H

#include "server/server_internal.h"

/* errors  those of ls_server_open_room but LIMIT; what the config hands over is taken over */
ls_status ls_room_create(ls_server *server, const ls_room_config *config, uint32_t slot,
                         ls_room **room, ls_error *error) LS_MUST_USE;
/* Takes note that a room's recording, which a job begins, has begun or cannot. */
void ls_room_open(ls_room *room, uint64_t now_ns);
/* Closes what a config hands over to a room that is not made. */
void ls_room_config_close(const ls_room_config *config);
/* Waits for its jobs. It has no sessions any more. */
void ls_room_destroy(ls_room *room);

/* How much match time the simulation is behind, in the room where that is most. */
uint64_t ls_rooms_lag_ns(const ls_server *server);
/* Matches are under way, and each has failed or is half way there. */
bool ls_rooms_hang(const ls_server *server);

#endif
