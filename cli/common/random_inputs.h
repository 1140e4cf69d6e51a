/* Inputs of a match without clients: the simulation's bots, random bytes, or both. They are a
 * function of the seed and of the world that a player sees. */
#ifndef LS_RANDOM_INPUTS_H
#define LS_RANDOM_INPUTS_H

#include <lockstep/random.h>
#include <lockstep/world.h>

#define LS_RANDOM_INPUTS_ORDERS_MAX 2 /* of one player in a tick: a bot's, a made-up one */

typedef enum ls_random_inputs_mode {
    LS_RANDOM_INPUTS_BOTS,   /* bots alone, who never leave */
    LS_RANDOM_INPUTS_RANDOM, /* bytes at random where the validator takes them; players come and
                                go */
    LS_RANDOM_INPUTS_MIXED,  /* bots whose bytes are changed at random, too */
} ls_random_inputs_mode;

typedef struct ls_random_inputs_player {
    bool is_in;
    uint8_t state[LS_STATE_BYTES_MAX];
    uint8_t orders[LS_RANDOM_INPUTS_ORDERS_MAX][LS_INPUT_BYTES_MAX];
    uint8_t last[LS_INPUT_BYTES_MAX]; /* order that was taken: others are made of it */
    uint32_t last_bytes;
} ls_random_inputs_player;

/* The caller's storage; set `mode` and `seed`, zero the rest. */
typedef struct ls_random_inputs_inputs {
    ls_random_inputs_mode mode;
    uint64_t seed;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_random_inputs_player players[LS_PLAYERS_MAX];
} ls_random_inputs_inputs;

/* The frame of the world's next tick; all players join in tick 0. Called once a tick.
 *   owns    the frame points into `dice` until the next call */
ls_frame ls_random_inputs_frame(ls_random_inputs_inputs *dice, const ls_world *world);

/* Makes bytes that a player could send: the `count` given ones with random changes, or new ones.
 *   shape   `bytes` has room for LS_INPUT_BYTES_MAX; returns the new count, at least 1 */
uint32_t ls_random_inputs_bytes(ls_random_stream stream, uint8_t *bytes, uint32_t count);

/* "bots", "random", "mixed"; NULL for a number that is none. */
const char *ls_random_inputs_word(uint32_t mode);

#endif
