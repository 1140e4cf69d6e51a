/* The view of a player with a session (include/lockstep/session.h): pictures at an even pace, a
 * predicted world, events. Checks that each event is reported exactly once and confirmed or
 * cancelled once, that no input is made too far ahead, and that some time after the last fault its
 * effects are gone. */
#ifndef LS_SIMULATION_PLAYER_VIEW_H
#define LS_SIMULATION_PLAYER_VIEW_H

#include "stage.h"

#include <lockstep/session.h>

typedef struct view_event {
    uint64_t id, tick;
} view_event;

struct player_view {
    struct stage *stage;
    const char *name;    /* of the player */
    ls_session *session; /* NULL: it plays without */
    uint64_t picture_ns; /* from one to the next */
    /* The session's own hooks, and the player's. */
    void (*ran)(void *context, const ls_frame *frame);
    void (*loaded)(void *context);
    void *hook_context;
    void (*player_ran)(void *context, const ls_frame *frame);
    void (*player_loaded)(void *context);
    void *player;
    view_event *open; /* told, neither confirmed nor cancelled */
    uint32_t open_count, open_capacity;
    uint64_t sum_run, sum_told; /* over the events of confirmed ticks, and those told of */
    /* Since the measuring began: */
    bool is_measured;
    uint64_t settled_ns, resumes, loads, substitutes, measured_tick;
    ls_prediction_stats measured;
    uint64_t head;
    uint64_t ahead_max, behind_max; /* ticks: inputs ahead of the head, the picture before it */
};

/* errors  as ls_session_create(); the config's hooks are called after the session's */
ls_status player_view_init(struct player_view *self, struct stage *stage,
                           const ls_client_config *config, const plan_player *plan,
                           ls_error *error);
/* Its memory, and the session's; when `is_dead` nothing of that may be touched. */
void player_view_reset(struct player_view *self, bool is_dead);

/* Draws a picture; gives when the next is due. */
uint64_t player_view_update(struct player_view *self, uint64_t now_ns);
/* Outside of the process that draws: records the present picture. */
void player_view_look(struct player_view *self);

/* From here on there are no faults and no new inputs; a client that loads or resumes after this is
 * not judged. */
void player_view_settle(struct player_view *self);
/* It has settled: returns the measurements since. */
void player_view_measure(struct player_view *self);
void player_view_judge(const struct player_view *self);

#endif
