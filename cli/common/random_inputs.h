/* Makes the inputs of a match without clients: from the simulation's bots, at random, or both. They
 * depend only on the seed and on the world that a player sees. */
#ifndef LS_RANDOM_INPUTS_H
#define LS_RANDOM_INPUTS_H

#include <lockstep/random.h>
#include <lockstep/world.h>

#define LS_RANDOM_INPUTS_ORDERS_MAX 2 /* of one player in a tick: one of a bot, one at random */

typedef enum ls_random_inputs_mode {
    LS_RANDOM_INPUTS_BOTS,   /* only bots, which never leave */
    LS_RANDOM_INPUTS_RANDOM, /* random bytes that the validator accepts; players join and leave */
    LS_RANDOM_INPUTS_MIXED,  /* bots, and bots' inputs with random changes */
} ls_random_inputs_mode;

typedef struct ls_random_inputs_player {
    bool is_joined;
    uint8_t state[LS_STATE_BYTES_MAX];
    uint8_t orders[LS_RANDOM_INPUTS_ORDERS_MAX][LS_INPUT_BYTES_MAX];
    uint8_t last[LS_INPUT_BYTES_MAX]; /* the last accepted order, from which others are made */
    uint32_t last_bytes;
} ls_random_inputs_player;

/* The caller's storage; set `mode` and `seed`, zero the rest. */
typedef struct ls_random_inputs {
    ls_random_inputs_mode mode;
    uint64_t seed;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_random_inputs_player players[LS_PLAYERS_MAX];
} ls_random_inputs;

/* Makes the frame of the world's next tick; all players join in tick 0. Called once a tick.
 *   owns    the frame points into `dice` until the next call */
ls_frame ls_random_inputs_frame(ls_random_inputs *dice, const ls_world *world);

/* Makes bytes that a player could send: changes the `count` given bytes at random, or makes new
 * ones.
 *   shape   `bytes` has room for LS_INPUT_BYTES_MAX; returns the new count, at least 1 */
uint32_t ls_random_inputs_bytes(ls_random_stream stream, uint8_t *bytes, uint32_t count);

/* "bots", "random", "mixed", by mode; NULL ends the list. */
extern const char *const ls_random_inputs_words[];

#endif
