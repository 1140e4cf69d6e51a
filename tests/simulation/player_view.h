/* The view of a player with a session (include/lockstep/session.h): pictures at an even pace, a
 * predicted world, events. Checks that each event is reported once, and then confirmed or cancelled
 * once. Checks that no input is made too far ahead, and that the effects of faults are gone some
 * time after the last one. */
#ifndef LS_SIMULATION_PLAYER_VIEW_H
#define LS_SIMULATION_PLAYER_VIEW_H

#include "run_shared.h"

#include <lockstep/session.h>

typedef struct view_event {
    uint64_t id, tick;
} view_event;

struct player_view {
    struct run_shared *shared;
    const char *name;    /* the player's name */
    ls_session *session; /* NULL: the player has no session */
    uint64_t picture_ns; /* time between two pictures */
    /* The session's own hooks, and the player's, which are called after them. */
    void (*ran)(void *context, const ls_frame *frame);
    void (*loaded)(void *context);
    void *hook_context;
    void (*player_ran)(void *context, const ls_frame *frame);
    void (*player_loaded)(void *context);
    void *player;
    view_event *open; /* reported events that are neither confirmed nor cancelled */
    uint32_t open_count, open_capacity;
    uint64_t sum_run, sum_told; /* hash sums of the events of confirmed ticks, and of those told */
    /* Measurements since player_view_measure(): */
    bool is_measured;
    uint64_t congested_ns, settled_ns, resumes, loads, substitutes, measured_tick;
    ls_prediction_stats measured;
    uint64_t head;
    uint64_t ahead_max, behind_max; /* ticks: by which inputs are ahead of the head, and the head of
                                       the picture */
};

/* Creates the view and its session.
 *   errors  as ls_session_create(); the config's hooks are called after the session's */
ls_status player_view_init(struct player_view *self, struct run_shared *shared,
                           const ls_client_config *config, const plan_player *plan,
                           ls_error *error);
/* Frees the view and its session; when `is_dead`, their memory must not be touched. */
void player_view_reset(struct player_view *self, bool is_dead);

/* Draws a picture; returns when the next is due. */
uint64_t player_view_update(struct player_view *self, uint64_t now_ns);
/* Checks the current picture; call it outside of the player's simulated process. */
void player_view_look(struct player_view *self);

/* Call when faults and new inputs have ended. A client that loads a snapshot or resumes after this
 * is not judged. */
void player_view_settle(struct player_view *self);
/* When the client last said a level of congestion at which ticks wait for a common packet; 0 for a
 * client that is not judged. */
uint64_t player_view_congested_ns(const struct player_view *self);
/* Begins to measure, when the effects of faults should be gone. */
void player_view_measure(struct player_view *self);
void player_view_judge(const struct player_view *self);

#endif
