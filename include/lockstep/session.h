/* The client side of a game: a client (include/lockstep/client.h) that plays its ticks out at an
 * even pace, a predicted world, and each presentation event exactly once.
 *
 *     each picture: ls_session_update(now), ls_session_poll() until it is false,
 *                   draw ls_session_view_of(), ls_session_submit_state() and ls_session_submit()
 *   thread  one at a time, which is that of its link */
#ifndef LS_SESSION_H
#define LS_SESSION_H

#include <lockstep/client.h>
#include <lockstep/events.h>
#include <lockstep/prediction.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_session ls_session;

/* Creates a session and its client.
 *   shape   predict_ticks 0..LS_CLIENT_PREDICT_TICKS (else LS_ERROR_USAGE); 0: no prediction
 *   errors  those of ls_client_create(); LS_ERROR_USAGE when the config has hooks, which the
 *           session sets itself. *session is then NULL
 *   owns    the caller calls ls_session_destroy(*session) before it destroys the link */
LS_API ls_status ls_session_create(const ls_client_config *config, uint32_t predict_ticks,
                                   ls_session **session, ls_error *error) LS_MUST_USE;
/* As ls_client_destroy(). NULL is allowed. */
LS_API void ls_session_destroy(ls_session *session);

/* The session's client: for its state, reason and statistics, and to leave. Only the session may
 * step it and set its limit. */
LS_API ls_client *ls_session_client(ls_session *session);

/* Does all that is due at `now_ns`, and never waits. Call it before each picture.
 *   errors  a prediction that fails stops until the next confirmed tick
 *           (stats.predictions_failed) */
LS_API void ls_session_update(ls_session *session, uint64_t now_ns);

/* Worlds to draw, valid until the next update. A picture between two ticks interpolates: it is at
 * `fraction` / 2^32 of the way from the previous world to the current one. In the first tick after
 * a snapshot was loaded, both are the same world. Before the first snapshot all are NULL.
 * ls_world_changes() tells which entities differ. */
typedef struct ls_session_view {
    const ls_world *confirmed, *confirmed_previous;
    const ls_world *predicted, *predicted_previous; /* without prediction: the confirmed worlds */
    uint32_t fraction;
    bool is_stalled; /* the next tick is overdue */
} ls_session_view;
LS_API ls_session_view ls_session_view_of(const ls_session *session);

/* Gets the next update of a presentation event (include/lockstep/events.h); its value is valid
 * until the next call. */
LS_API bool ls_session_poll(ls_session *session, ls_event_update *update);

/* Like ls_client_submit_at() for the first tick that an input can still reach; the order is also
 * predicted for that tick.
 *   errors  as ls_client_submit_at() */
LS_API ls_status ls_session_submit(ls_session *session, const uint8_t *data,
                                   uint32_t bytes) LS_MUST_USE;
/* Sets the player's state, state_bytes of the simulation, from the first tick on that an input can
 * still reach. May be called at any rate; has no effect if that tick already has its state.
 *   errors  those of ls_client_submit_state() */
LS_API ls_status ls_session_submit_state(ls_session *session, const uint8_t *bytes) LS_MUST_USE;

typedef struct ls_session_stats {
    uint64_t playout_tick;   /* the tick that the confirmed world should have reached by now */
    uint64_t predicted_tick; /* the tick of the predicted world */
    uint64_t input_tick;     /* the tick that a new input is for */
    uint64_t depth_ns, jitter_ns;
    uint64_t stalls, snaps;
    uint64_t predictions_failed;
    ls_prediction_stats prediction;
    ls_events_stats events;
} ls_session_stats;
LS_API ls_session_stats ls_session_get_stats(const ls_session *session);

#ifdef __cplusplus
}
#endif

#endif
