/* The table of a server's rooms. */
#ifndef LS_ROOM_TABLE_H
#define LS_ROOM_TABLE_H

#include "server/server_state.h"

/* These do what ls_server_open_room(), ls_server_room() and ls_server_find_room() say. */
ls_status ls_room_table_open(ls_server *server, const ls_room_config *config, ls_room **room,
                             ls_error *error) LS_MUST_USE;
ls_room *ls_room_table_at(const ls_server *server, uint32_t index);
ls_room *ls_room_table_find(const ls_server *server, const char *name);
/* Destroys a room that has no sessions and frees its slot. */
void ls_room_table_close(ls_server *server, ls_room *room);

/* The largest lag of a room's simulation, as match time between its closed and its simulated ticks.
 */
uint64_t ls_room_table_lag_ns(const ls_server *server);
/* True when matches are running and each has failed or lags by half of its limit. */
bool ls_room_table_is_stalled(const ls_server *server);

#endif
