/* Predicts the frame of a future tick: the client's inputs as submitted, and the last state of
 * every other player. Works on frames only, not on a world.
 *   order  by player; a player's state comes before its orders, as when the server closes a tick */
#ifndef LS_INPUT_PREDICTION_H
#define LS_INPUT_PREDICTION_H

#include <lockstep/limits.h>
#include <lockstep/match.h>

typedef struct ls_input_prediction_state {
    uint64_t tick; /* the tick that a slot of `own` belongs to */
    uint8_t kind;  /* LS_STATE or LS_SUBSTITUTE */
    uint8_t bytes; /* 0: none */
    uint8_t data[LS_STATE_BYTES_MAX];
} ls_input_prediction_state;

typedef struct ls_input_prediction_order {
    uint64_t earliest_tick; /* it is executed in the first open tick from this one on */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_input_prediction_order;

typedef struct ls_input_prediction {
    uint64_t next; /* the first tick that is not confirmed */
    uint32_t player_count;
    uint8_t player; /* the client's seat; >= player_count: it has none */
    bool is_paused;
    ls_input_prediction_state held[LS_PLAYERS_MAX]; /* each player's last confirmed state */
    ls_input_prediction_state own[LS_CLIENT_PREDICT_INPUT_TICKS];
    ls_input_prediction_order
        orders[LS_CLIENT_INPUT_QUEUE];     /* not yet in a confirmed frame, the oldest first */
    uint32_t order_count, predicted_count; /* orders 0..predicted_count-1 are in predicted frames */
    ls_input inputs[LS_FRAME_INPUTS_MAX];
} ls_input_prediction;

/* Begins without any input; `next` is the first tick that is not confirmed. */
void ls_input_prediction_init(ls_input_prediction *prediction, uint64_t next, uint32_t player_count,
                              uint8_t player);

/* Adds an input of the client: a state for `tick`, or an order for the first open tick from `tick`
 * on. Sets `from` to the first tick with a prediction that the input may change.
 *   errors  LS_ERROR_USAGE: wrong kind or length, or no seat. LS_ERROR_REFUSED: a state for a tick
 *           that is confirmed or has a state. LS_ERROR_LIMIT: a state
 *           LS_CLIENT_PREDICT_INPUT_TICKS or more ahead, or more than LS_CLIENT_INPUT_QUEUE
 *           waiting orders */
ls_status ls_input_prediction_input(ls_input_prediction *prediction, uint64_t tick,
                                    const ls_input *input, uint64_t *from) LS_MUST_USE;

/* Confirms the frame of tick `next`. An order that is not in it waits on until a frame has a later
 * order, but for at most LS_CLIENT_PREDICT_INPUT_TICKS. */
void ls_input_prediction_confirm(ls_input_prediction *prediction, const ls_frame *frame);

/* Restarts the prediction at `next`, the first tick that is not confirmed. */
void ls_input_prediction_rewind(ls_input_prediction *prediction);
/* Predicts the frame of `tick`. The caller asks for consecutive ticks, from `next` on.
 *   owns    the frame is valid until the next call of any function here */
ls_frame ls_input_prediction_frame(ls_input_prediction *prediction, uint64_t tick);

#endif
