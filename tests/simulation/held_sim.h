/* A small simulation with a state input in each tick. The state's bytes tell the player, the
 * player's life and the tick; see held_state(). */
#ifndef LS_SIMULATION_HELD_SIM_H
#define LS_SIMULATION_HELD_SIM_H

#include <lockstep/sim.h>

enum { HELD_BYTES = 8, HELD_PLAYERS = 8 };

extern const ls_sim held_sim;

/* Makes the state of a client for a tick; `life` counts the client's processes. */
void held_state(uint32_t client, uint32_t life, uint64_t tick, uint8_t bytes[HELD_BYTES]);

#endif
