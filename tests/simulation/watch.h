/* Checks a room's internal state after each step of its server: the ticks that it closed, its
 * seats, and whether both agree with what the players sent. */
#ifndef LS_SIMULATION_WATCH_H
#define LS_SIMULATION_WATCH_H

#include "server_node.h"

void watch_room(struct server_node *node, node_room *room);
/* Adds to the ledger the ticks that a dead server recorded before they were checked. The server's
 * memory may still be read. */
void watch_adopt(struct server_node *node, node_room *room);
/* Restarts the checks of a room that resumes after the first `count` ticks of its ledger. */
void watch_restart(struct server_node *node, node_room *room, uint64_t count);
/* Adds the room's state to the trace, to help find the cause of a failure. */
void watch_describe(const struct server_node *node, const node_room *room);

#endif
