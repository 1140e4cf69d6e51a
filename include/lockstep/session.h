/* The client side of a game: a client (include/lockstep/client.h) with an even playout of its
 * ticks, a world predicted ahead, and presentation events exactly once.
 *
 *     each picture: ls_session_update(now), ls_session_poll() until it says no,
 *                   draw ls_session_view(), ls_session_hold() and ls_session_submit()
 *   thread  as a client: one at a time, the one that its link belongs to */
#ifndef LS_CLIENT_SESSION_H
#define LS_CLIENT_SESSION_H

#include <lockstep/client.h>
#include <lockstep/events.h>
#include <lockstep/prediction.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_session ls_session;

/*   shape   predict_ticks 0..LS_CLIENT_PREDICT_TICKS (else LS_ERROR_USAGE); 0: nothing is predicted
 *   errors  those of ls_client_create(); LS_ERROR_USAGE when the config has hooks: they are the
 *           session's. *session is then NULL
 *   owns    ls_session_destroy(*session) by the caller, before the link */
LS_API ls_status ls_session_create(const ls_client_config *config, uint32_t predict_ticks,
                                   ls_session **session, ls_error *error) LS_MUST_USE;
/* As ls_client_destroy(). NULL is allowed. */
LS_API void ls_session_destroy(ls_session *session);

/* The session's client: for its state and reason, its statistics, and leaving. Only the session
 * steps it and sets its limit. */
LS_API ls_client *ls_session_client(ls_session *session);

/* Does all that is due at `now_ns`, and never waits. Call it before each picture.
 *   errors  a prediction that fails is given up until the next confirmed tick; see stats */
LS_API void ls_session_update(ls_session *session, uint64_t now_ns);

/* Worlds to draw, until the next update. A picture between two ticks blends the previous state and
 * the other by `fraction` of 2^32; after a snapshot was loaded the two are one for a tick. Before
 * the first snapshot all are NULL. Which entities differ: ls_world_changes(). */
typedef struct ls_session_view {
    const ls_world *confirmed, *confirmed_previous;
    const ls_world *predicted, *predicted_previous; /* the confirmed ones if none is predicted */
    uint32_t fraction;
    bool is_stalled; /* the next tick is overdue */
} ls_session_view;
LS_API ls_session_view ls_session_view_of(const ls_session *session);

/* The next news of an event, see include/lockstep/events.h; its value lives until the next call. */
LS_API bool ls_session_poll(ls_session *session, ls_news *notice);

/* As ls_client_submit_at() for the tick that an input can still reach, and predicted there. */
LS_API ls_status ls_session_submit(ls_session *session, const uint8_t *data,
                                   uint32_t bytes) LS_MUST_USE;
/* Sets the player's state from now on, state_bytes of the simulation, beginning with the first tick
 * that an input can still reach. May be called at any rate: without effect when that tick has its
 * state.
 *   errors  those of ls_client_submit_state() */
LS_API ls_status ls_session_hold(ls_session *session, const uint8_t *bytes) LS_MUST_USE;

typedef struct ls_session_stats {
    uint64_t playout_tick;   /* that the confirmed world is to have reached */
    uint64_t predicted_tick; /* of the predicted world */
    uint64_t input_tick;     /* that an input is made for */
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
