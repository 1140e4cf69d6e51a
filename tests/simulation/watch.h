/* Checks a room's internal state after each step of its server: the ticks that it closed, its
 * seats, and whether both agree with what the players sent. */
#ifndef LS_SIMULATION_WATCH_H
#define LS_SIMULATION_WATCH_H

#include "server_node.h"

void watch_room(struct server_node *node, node_room *room);
/* Ticks that the dead server had recorded count as closed, although not checked yet. Its memory
 * may still be read. */
void watch_adopt(struct server_node *node, node_room *room);
/* The room restarts after the first `count` ticks of its ledger. */
void watch_restart(struct server_node *node, node_room *room, uint64_t count);
/* Writes the room's state into the trace, for the search for a cause. */
void watch_describe(const struct server_node *node, const node_room *room);

#endif
