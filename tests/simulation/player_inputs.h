/* A player's inputs: orders, and the state of each tick. */
#ifndef LS_SIMULATION_PLAYER_INPUTS_H
#define LS_SIMULATION_PLAYER_INPUTS_H

#include "player.h"

/* The orders of one tick. */
void player_inputs_give_orders(struct player *self);
/* A contrarian sends other states than before for ticks that are not closed. */
void player_inputs_contradict(struct player *self);
/* All inputs between two steps of its client. */
void player_inputs_act(struct player *self);

#endif
