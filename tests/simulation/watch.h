/* Looks at a room from inside after each step of its server: what it has closed, what its seats
 * hold, and whether both fit what the players have said. */
#ifndef LS_SIMULATION_WATCH_H
#define LS_SIMULATION_WATCH_H

#include "server_node.h"

void watch_room(struct server_node *node, node_room *room);
/* What its dead server had recorded was closed, though nobody has looked at it since. Its memory
 * may still be read. */
void watch_adopt(struct server_node *node, node_room *room);
/* The room begins anew, behind so many ticks of its book. */
void watch_restart(struct server_node *node, node_room *room, uint64_t count);
/* Writes into the trace how it stands, for whoever looks for a cause. */
void watch_describe(const struct server_node *node, const node_room *room);

#endif
