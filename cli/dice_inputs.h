/* Players of a match that nobody joined: the simulation's bots, dice, or both. What they send is a
 * function of the seed and of the world that they see. */
#ifndef LS_DICE_INPUTS_H
#define LS_DICE_INPUTS_H

#include "core/random.h"
#include "core/world.h"

#define LS_DICE_ORDERS_MAX 2 /* of one player in a tick: a bot's, a made-up one */

typedef enum ls_dice_mode {
    LS_DICE_BOTS,   /* bots alone, who never leave */
    LS_DICE_RANDOM, /* bytes at random as far as the validator takes them; players come and go */
    LS_DICE_MIXED,  /* bots whose bytes are changed at random, too */
} ls_dice_mode;

typedef struct ls_dice_player {
    bool is_in;
    uint8_t state[LS_STATE_BYTES_MAX];
    uint8_t orders[LS_DICE_ORDERS_MAX][LS_INPUT_BYTES_MAX];
    uint8_t last[LS_INPUT_BYTES_MAX]; /* order that was taken: others are made of it */
    uint32_t last_bytes;
} ls_dice_player;

/* The caller's storage; set `mode` and `seed`, zero the rest. */
typedef struct ls_dice_inputs {
    ls_dice_mode mode;
    uint64_t seed;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_dice_player players[LS_PLAYERS_MAX];
} ls_dice_inputs;

/* The frame of the world's next tick: all join in tick 0. Called once a tick.
 *   owns  the frame points into `dice` until the next call */
ls_frame ls_dice_frame(ls_dice_inputs *dice, const ls_world *world);

/* Some bytes that a player could send: `count` of `bytes` changed here and there, or others.
 *   shape   `bytes` has room for LS_INPUT_BYTES_MAX; gives the new count, at least 1 */
uint32_t ls_dice_bytes(ls_random_stream stream, uint8_t *bytes, uint32_t count);

/* "bots", "random", "mixed"; NULL for a number that is none. */
const char *ls_dice_word(uint32_t mode);

#endif
