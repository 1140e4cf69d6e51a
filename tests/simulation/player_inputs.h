/* A player's inputs: orders, and the state of each tick. */
#ifndef LS_SIMULATION_PLAYER_INPUTS_H
#define LS_SIMULATION_PLAYER_INPUTS_H

#include "player.h"

/* Gives the orders of one tick. */
void player_inputs_give_orders(struct player *self);
/* A player with ROLE_CONTRARIAN changes the states that it has sent for ticks that are not closed
 * yet. */
void player_inputs_contradict(struct player *self);
/* Gives all inputs between two steps of the client. */
void player_inputs_act(struct player *self);

#endif
