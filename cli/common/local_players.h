/* The players of a match without a network: all seats are taken at tick 0 and the simulation's bot
 * plays them. */
#ifndef LS_LOCAL_PLAYERS_H
#define LS_LOCAL_PLAYERS_H

#include <lockstep/world.h>

typedef struct ls_local_player {
    uint8_t state[LS_STATE_BYTES_MAX];
    uint8_t order[LS_INPUT_BYTES_MAX];
} ls_local_player;

typedef struct ls_local_players {
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_local_player players[LS_PLAYERS_MAX];
} ls_local_players;

/* Makes the frame of the world's next tick: at tick 0 the JOINs, then the input of each bot, if the
 * validator accepts it and the frame has room. The frame depends only on the world.
 *   owns  the frame points into `players` until the next call */
ls_frame ls_local_players_frame(ls_local_players *players, const ls_world *world);

#endif
