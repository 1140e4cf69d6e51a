/* Predicts the frame of a future tick: the client's inputs as they were submitted, the last state
 * of every other player. Knows frames only, no world.
 *   order  by player; of one player the state before the orders, as the server closes a tick */
#ifndef LS_INPUT_PREDICTION_H
#define LS_INPUT_PREDICTION_H

#include <lockstep/limits.h>
#include <lockstep/match.h>

typedef struct ls_input_prediction_state {
    uint64_t tick; /* the tick that a slot of `own` belongs to */
    uint8_t kind;  /* LS_STATE, LS_SUBSTITUTE */
    uint8_t bytes; /* 0: none */
    uint8_t data[LS_STATE_BYTES_MAX];
} ls_input_prediction_state;

typedef struct ls_input_prediction_order {
    uint64_t wished; /* lands in this tick or the first open one after it */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_input_prediction_order;

typedef struct ls_input_prediction {
    uint64_t next; /* the first tick that is not confirmed */
    uint32_t player_count;
    uint8_t player; /* >= player_count: plays none */
    bool is_paused;
    ls_input_prediction_state held[LS_PLAYERS_MAX]; /* confirmed last */
    ls_input_prediction_state own[LS_CLIENT_PREDICT_INPUT_TICKS];
    ls_input_prediction_order
        orders[LS_CLIENT_INPUT_QUEUE];     /* not landed yet, in the order of the calls */
    uint32_t order_count, predicted_count; /* the first predicted_count are in predicted frames */
    ls_input inputs[LS_FRAME_INPUTS_MAX];
} ls_input_prediction;

/* Without any input; `next` is the first future tick. */
void ls_input_prediction_init(ls_input_prediction *prediction, uint64_t next, uint32_t player_count,
                              uint8_t player);

/* Adds an input of the client: a state for `tick`, or an order for the first open tick from `tick`
 * on. Sets `from` to the first tick with a prediction that it may change.
 *   errors  LS_ERROR_USAGE for a wrong kind or length; LS_ERROR_REFUSED for the state of a tick
 *           that is confirmed, or that has one; LS_ERROR_LIMIT for one further ahead than
 *           LS_CLIENT_PREDICT_INPUT_TICKS, and beyond LS_CLIENT_INPUT_QUEUE orders */
ls_status ls_input_prediction_input(ls_input_prediction *prediction, uint64_t tick,
                                    const ls_input *input, uint64_t *from) LS_MUST_USE;

/* Confirms the frame of tick `next`. Orders that are not in it keep waiting, but at most
 * LS_CLIENT_PREDICT_INPUT_TICKS, and no longer than until a later order lands. */
void ls_input_prediction_confirm(ls_input_prediction *prediction, const ls_frame *frame);

/* Prediction begins again at `next`. */
void ls_input_prediction_rewind(ls_input_prediction *prediction);
/* Predicts the frame of `tick`. The caller asks for one tick after another, from `next` on.
 *   owns    lives until the next call of any function here */
ls_frame ls_input_prediction_frame(ls_input_prediction *prediction, uint64_t tick);

#endif
