/* The table of a server's rooms. */
#ifndef LS_ROOM_TABLE_H
#define LS_ROOM_TABLE_H

#include "server/server_state.h"

/* As ls_server_open_room(), ls_server_room() and ls_server_find_room(). */
ls_status ls_room_table_open(ls_server *server, const ls_room_config *config, ls_room **room,
                             ls_error *error) LS_MUST_USE;
ls_room *ls_room_table_at(const ls_server *server, uint32_t index);
ls_room *ls_room_table_find(const ls_server *server, const char *name);
/* Destroys a room that has no sessions and frees its slot. */
void ls_room_table_close(ls_server *server, ls_room *room);

/* The match time by which the simulation of the slowest room lags its closed ticks. */
uint64_t ls_room_table_lag_ns(const ls_server *server);
/* Matches are under way, and each has failed or lags by half of what it may. */
bool ls_room_table_hang(const ls_server *server);

#endif
