/* A world that runs ahead of the confirmed one on predicted frames, so that a player sees the
 * effect of an input at once. After a wrong prediction it returns to the confirmed state and runs
 * the ticks since again: a rollback.
 *
 * The owner advances the confirmed world tick by tick and passes each frame; then it asks for an
 * update. No predicted state enters the confirmed world or is ever reported.
 *   thread  the one of the confirmed world
 *   source  docs/design.md section 6 */
#ifndef LS_CLIENT_PREDICTION_H
#define LS_CLIENT_PREDICTION_H

#include <lockstep/executor.h>
#include <lockstep/limits.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_prediction ls_prediction;

typedef struct ls_prediction_config {
    ls_world *confirmed;   /* outlives the prediction */
    ls_executor *executor; /* NULL: serial */
    uint32_t ticks_max;    /* ahead of the confirmed world, 0..LS_CLIENT_PREDICT_TICKS; 0: none */
    bool keeps_previous;   /* see ls_prediction_previous(); costs a hash of the state an update */
    uint8_t player;        /* the seat with known inputs; beyond the match's seats: none */
    /* Called after each predicted tick, also when a tick is predicted again, with the predicted
     * world, which it may read. May be NULL. */
    void (*on_tick)(void *context, const ls_world *predicted);
    void *context;
} ls_prediction_config;

/* The predicted world begins as the confirmed one. `ticks_max` is asserted. */
LS_API ls_prediction *ls_prediction_create(const ls_prediction_config *config);
/* NULL is allowed. */
LS_API void ls_prediction_destroy(ls_prediction *prediction);

/* An input that was sent for `tick`: LS_STATE, or an order (LS_INPUT) that lands in the first open
 * tick from there. Its player is the config's. Call it before the update that reaches `tick`, else
 * a rollback takes it in.
 *   errors  LS_ERROR_USAGE: another kind, or the simulation does not take the bytes;
 *           LS_ERROR_REFUSED: the tick is confirmed or has its state; LS_ERROR_LIMIT: too far
 *           ahead, or too many. The input is then not predicted, and seen once it is confirmed */
LS_API ls_status ls_prediction_input(ls_prediction *prediction, uint64_t tick,
                                     const ls_input *input, ls_error *error) LS_MUST_USE;
/* The confirmed world has just run `frame`; asserts that none was left out. */
LS_API void ls_prediction_confirm(ls_prediction *prediction, const ls_frame *frame);
/* Called when the confirmed world was replaced (a snapshot was loaded) or the seat changed:
 * prediction begins anew. `player` as in the config. */
LS_API void ls_prediction_restart(ls_prediction *prediction, uint8_t player);

/* Brings the predicted world to `target_tick`, at most ticks_max ahead of the confirmed one; never
 * back to an earlier tick, except while the match is paused. Advances ticks_max ticks at most.
 *   errors  those of ls_world_advance(): the predicted world stays at the tick that failed, and the
 *           next update begins again at the confirmed one */
LS_API ls_status ls_prediction_update(ls_prediction *prediction, uint64_t target_tick,
                                      ls_error *error) LS_MUST_USE;

/* The predicted world, to be read, not advanced; its state changes with the next update. With
 * ticks_max 0 it is the confirmed world. */
LS_API const ls_world *ls_prediction_world(const ls_prediction *prediction);

/* The predicted world one tick earlier, so that a picture can blend the two; it is computed again
 * after a correction. When nothing is predicted beyond the confirmed world, it is the predicted
 * world itself. NULL unless it is kept. */
LS_API const ls_world *ls_prediction_previous(const ls_prediction *prediction);

typedef struct ls_prediction_stats {
    uint64_t ticks;          /* advanced, the repeated ones among them */
    uint64_t hits, misses;   /* confirmed ticks that were predicted: right, wrong */
    uint64_t rollbacks;      /* ticks that had been shown were taken back */
    uint64_t rollback_ticks; /* ticks taken back in all, and by one rollback at most: */
    uint32_t depth_max;
} ls_prediction_stats;
LS_API ls_prediction_stats ls_prediction_get_stats(const ls_prediction *prediction);

#ifdef __cplusplus
}
#endif

#endif
