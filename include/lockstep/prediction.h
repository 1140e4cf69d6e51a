/* A predicted world: it runs ahead of the confirmed world on predicted frames, so that a player
 * sees the effect of an input at once. After a wrong prediction it returns to the confirmed state
 * and runs the ticks since then again: a rollback.
 *
 * The caller advances the confirmed world tick by tick, passes each frame, and then asks for an
 * update. Predicted state never enters the confirmed world and is never reported.
 *   thread  the thread of the confirmed world
 *   source  docs/design.md section 6 */
#ifndef LS_PREDICTION_H
#define LS_PREDICTION_H

#include <lockstep/executor.h>
#include <lockstep/limits.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_prediction ls_prediction;

typedef struct ls_prediction_config {
    ls_world *confirmed;   /* must outlive the prediction */
    ls_executor *executor; /* NULL: serial */
    uint32_t ticks_max;  /* maximum distance to the confirmed world, 0..LS_CLIENT_PREDICT_TICKS; 0:
                            no prediction */
    bool keeps_previous; /* for ls_prediction_previous(); each update then hashes the state once */
    uint8_t player;      /* the seat of the known inputs; player_count or more: no seat */
    /* Called after each predicted tick, also for a repeated one. The callback may read the
     * predicted world. May be NULL. */
    void (*on_tick)(void *context, const ls_world *predicted);
    void *context;
} ls_prediction_config;

/* Creates the predicted world as a copy of the confirmed one. Asserts ticks_max. */
LS_API ls_prediction *ls_prediction_create(const ls_prediction_config *config);
/* NULL is allowed. */
LS_API void ls_prediction_destroy(ls_prediction *prediction);

/* Adds an input that was sent for `tick`: LS_STATE, or an order (LS_INPUT) for the first open tick
 * from `tick` on. The input's player is the config's. Call it before the update that reaches
 * `tick`; later, it costs a rollback.
 *   errors  LS_ERROR_USAGE: another kind, or the validator refuses the bytes; LS_ERROR_REFUSED: the
 *           tick is confirmed or has a state; LS_ERROR_LIMIT: too far ahead, or too many inputs.
 *           The input is then not predicted, and takes effect once it is confirmed */
LS_API ls_status ls_prediction_input(ls_prediction *prediction, uint64_t tick,
                                     const ls_input *input, ls_error *error) LS_MUST_USE;
/* Call it after the confirmed world has run `frame`; asserts that no frame is skipped. */
LS_API void ls_prediction_confirm(ls_prediction *prediction, const ls_frame *frame);
/* Begins prediction anew; call it when the confirmed world was replaced (a snapshot was loaded) or
 * the seat changed. `player` as in the config. */
LS_API void ls_prediction_restart(ls_prediction *prediction, uint8_t player);

/* Brings the predicted world to `target_tick`, at most ticks_max ahead of the confirmed world. It
 * never goes back to an earlier tick, except while the match is paused. Advances at most ticks_max
 * ticks.
 *   errors  those of ls_world_advance(): the predicted world stays at the tick that failed, and the
 *           next update begins again at the confirmed world */
LS_API ls_status ls_prediction_update(ls_prediction *prediction, uint64_t target_tick,
                                      ls_error *error) LS_MUST_USE;

/* The predicted world, to be read but not advanced; it changes with the next update. With ticks_max
 * 0 it is the confirmed world. */
LS_API const ls_world *ls_prediction_world(const ls_prediction *prediction);

/* The predicted world one tick earlier, to interpolate a picture; a rollback computes it again. If
 * no tick is predicted beyond the confirmed world, it is the predicted world itself. NULL unless
 * keeps_previous is set. */
LS_API const ls_world *ls_prediction_previous(const ls_prediction *prediction);

typedef struct ls_prediction_stats {
    uint64_t ticks;          /* ticks advanced, including repeated ones */
    uint64_t hits, misses;   /* confirmed ticks with a right or wrong prediction */
    uint64_t rollbacks;      /* rollbacks of ticks that were already shown */
    uint64_t rollback_ticks; /* ticks rolled back: in total, and the most by one rollback */
    uint32_t depth_max;
} ls_prediction_stats;
LS_API ls_prediction_stats ls_prediction_get_stats(const ls_prediction *prediction);

#ifdef __cplusplus
}
#endif

#endif
