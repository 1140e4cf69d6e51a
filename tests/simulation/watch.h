/* Looks at a room from inside after each step of its server: what it has closed, what its seats
 * hold, and whether both fit what the players have said. */
#ifndef LS_SIMULATION_WATCH_H
#define LS_SIMULATION_WATCH_H

#include "server_node.h"

void watch_room(struct server_node *node, node_room *room);
/* Ticks that the dead server had recorded count as closed, although not watched yet. Its memory may
 * still be read. */
void watch_adopt(struct server_node *node, node_room *room);
/* The room begins anew after the first `count` ticks of its ledger. */
void watch_restart(struct server_node *node, node_room *room, uint64_t count);
/* Writes the room's state into the trace, for the search for a cause. */
void watch_describe(const struct server_node *node, const node_room *room);

#endif
