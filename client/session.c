#include <lockstep/session.h>

#include "client/client_internal.h"
#include "client/pacer.h"
#include "core/base/fault_injection.h"
#include "core/state/snapshot_internal.h"

struct ls_session {
    ls_client *client;
    const ls_program *program;
    ls_executor *executor;
    uint32_t predict_ticks;
    ls_pacer pacer;
    ls_playout playout;
    uint32_t epoch;          /* epoch of the match that is played out */
    uint64_t head_ns;        /* arrival time of the last head given to the pacer; 0: none */
    uint64_t held_tick;      /* one above the last tick with a state of the client */
    uint64_t ahead;          /* ticks that the predicted world runs ahead of the playout */
    uint64_t ahead_max;      /* the largest lead that was needed since ahead_ns */
    uint64_t ahead_ns;       /* when `ahead` was last set */
    uint64_t delay;          /* the input delay at the last change of the lead */
    uint64_t resumes, snaps; /* counts when the lead last restarted */
    uint8_t player;          /* the seat whose inputs are predicted */
    /* NULL before the first snapshot: */
    ls_world *world;           /* the client's confirmed world; the client owns it */
    ls_world *latest, *before; /* copies of the world: now, and one tick ago */
    ls_prediction *prediction; /* also NULL until the client plays, or if predict_ticks is 0 */
    ls_events *events;
    uint64_t predictions_failed;
};

/* Called after each confirmed tick: `latest` becomes `before`, and the world is copied to `latest`.
 */
static void on_tick_run(void *context, const ls_frame *frame)
{
    ls_session *self = context;
    ls_world *older = self->before;
    self->before = self->latest;
    self->latest = older;
    ls_world_copy(self->latest, self->world);
    ls_events_confirm(self->events, self->world);
    if (self->prediction)
        ls_prediction_confirm(self->prediction, frame);
}

static void predict_events(void *context, const ls_world *predicted)
{
    ls_session *self = context;
    ls_events_predict(self->events, predicted);
}

static void begin(ls_session *self)
{
    self->world = ls_client_world(self->client);
    self->latest = ls_world_create_sibling(self->world);
    self->before = ls_world_create_sibling(self->world);
    self->events = ls_events_create(self->program, ls_world_tick(self->world));
    ls_pacer_init(&self->pacer, ls_world_match(self->world)->tick_rate);
    self->epoch = ls_client_get_stats(self->client).epoch;
}

/* A restarted server may have lost ticks and closes them again. The playout then restarts, and
 * states are submitted again. */
static void follow_epoch(ls_session *self)
{
    uint32_t epoch = ls_client_get_stats(self->client).epoch;
    if (epoch == self->epoch)
        return;
    self->epoch = epoch;
    self->held_tick = 0;
    self->playout = (ls_playout){0};
    ls_pacer_init(&self->pacer, ls_world_match(self->world)->tick_rate);
}

static void on_loaded(void *context)
{
    ls_session *self = context;
    if (!self->world) {
        begin(self);
        return;
    }
    LS_ASSERT(self->world == ls_client_world(self->client));
    follow_epoch(self);
    ls_world_copy(self->latest, self->world);
    ls_world_copy(self->before, self->world);
    ls_events_restart(self->events, ls_world_tick(self->world));
    ls_pacer_rebase(&self->pacer);
    self->ahead = 0;
    if (self->prediction)
        ls_prediction_restart(self->prediction, self->player);
}

ls_status ls_session_create(const ls_client_config *config, uint32_t predict_ticks,
                            ls_session **session, ls_error *error)
{
    *session = NULL;
    if (config->ran || config->loaded || config->is_light ||
        predict_ticks > LS_CLIENT_PREDICT_TICKS)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a session has a world, sets the hooks itself, and predicts 0 to %u "
                            "ticks",
                            LS_CLIENT_PREDICT_TICKS);
    ls_session *made = ls_alloc(sizeof *made);
    ls_client_config own = *config;
    own.ran = on_tick_run;
    own.loaded = on_loaded;
    own.hook_context = made;
    made->program = config->program;
    made->executor = config->executor;
    made->predict_ticks = predict_ticks;
    ls_status status = ls_client_create(&own, &made->client, error);
    if (status != LS_OK) {
        ls_free(made);
        return status;
    }
    made->client->playback.end_lifts_limit = true;
    *session = made;
    return LS_OK;
}

void ls_session_destroy(ls_session *session)
{
    if (!session)
        return;
    ls_prediction_destroy(session->prediction);
    ls_events_destroy(session->events);
    ls_world_destroy(session->latest);
    ls_world_destroy(session->before);
    ls_client_destroy(session->client);
    ls_free(session);
}

ls_client *ls_session_client(ls_session *session)
{
    return session->client;
}

/* The input delay, in ticks ahead of the known head. With state inputs it follows their lateness,
 * which the server reports. Otherwise it covers a round trip and its jitter. */
static uint64_t input_delay_of(const ls_session *session, const ls_client_stats *stats)
{
    if (ls_program_sim(session->program)->state_bytes || !session->world)
        return stats->input_delay_ticks;
    uint64_t tick_ns = LS_SECOND_NS / ls_world_match(session->world)->tick_rate;
    uint64_t ticks = (stats->rtt_ns + 2 * stats->jitter_ns) / tick_ns + 1;
    return ticks < LS_CLIENT_INPUT_DELAY_MAX ? ticks : LS_CLIENT_INPUT_DELAY_MAX;
}

/* The first tick that an input submitted now can still reach. */
static uint64_t first_open_tick(const ls_session *session)
{
    ls_client_stats stats = ls_client_get_stats(session->client);
    return stats.head + input_delay_of(session, &stats);
}

/* The tick for which input is submitted now: the predicted world's next tick. Inputs follow the
 * playout, because it advances evenly and the head does not. The tick is never beyond what the
 * server accepts. */
static uint64_t input_tick(const ls_session *session)
{
    uint64_t reach = first_open_tick(session), next = session->playout.tick + session->ahead;
    uint64_t max = ls_client_get_stats(session->client).head + LS_CLIENT_STATE_AHEAD - 1;
    if (!session->prediction || next < reach)
        return reach;
    return next < max ? next : max;
}

/* Begins the prediction when the seat is known. A resumed session may have another seat: then the
 * states held for the old one are dropped. */
static void begin_prediction(ls_session *self)
{
    ls_client_stats stats = ls_client_get_stats(self->client);
    if (!self->predict_ticks || (!self->prediction && !stats.is_playing))
        return;
    if (!self->prediction) {
        self->player = stats.player;
        self->prediction =
            ls_prediction_create(&(ls_prediction_config){.confirmed = self->world,
                                                         .executor = self->executor,
                                                         .ticks_max = self->predict_ticks,
                                                         .keeps_previous = true,
                                                         .player = stats.player,
                                                         .on_tick = predict_events,
                                                         .context = self});
    } else if (self->player != stats.player) {
        self->player = stats.player;
        self->held_tick = 0;
        ls_prediction_restart(self->prediction, stats.player);
    }
}

/* Whether the lead must be measured again: the lead needed before or during an outage does not
 * predict the one needed after it. */
static bool is_restarted(ls_session *self)
{
    uint64_t resumes = ls_client_get_stats(self->client).resumes;
    uint64_t snaps = ls_pacer_get_stats(&self->pacer).snaps;
    bool is_anew = resumes != self->resumes || snaps != self->snaps;
    self->resumes = resumes;
    self->snaps = snaps;
    return is_anew;
}

/* Lowers the lead when the input delay falls. A delay that follows states is stable. One that
 * follows round trips varies by a tick, and such a change is ignored. */
static void follow_delay(ls_session *self)
{
    ls_client_stats stats = ls_client_get_stats(self->client);
    uint64_t delay = input_delay_of(self, &stats);
    uint64_t tolerance = ls_program_sim(self->program)->state_bytes ? 0 : 1;
    if (delay <= self->delay && delay + tolerance >= self->delay)
        return;
    uint64_t less = delay < self->delay ? self->delay - delay : 0;
    self->ahead -= less < self->ahead ? less : self->ahead;
    self->ahead_max -= less < self->ahead_max ? less : self->ahead_max;
    self->delay = delay;
}

/* Sets the lead over the playout to the largest one needed in the last seconds. Playout and
 * prediction then advance evenly and share the fraction. The lead is at most predict_ticks: more
 * would only delay inputs. */
static void choose_ahead(ls_session *self, uint64_t now_ns)
{
    follow_delay(self);
    uint64_t reach = first_open_tick(self), playout = self->playout.tick;
    uint64_t ahead = reach > playout ? reach - playout : 0;
    if (ahead > self->predict_ticks)
        ahead = self->predict_ticks;
    bool is_anew = is_restarted(self);
    /* While the playout catches up, the needed lead falls steadily, so the window is shorter. */
    bool is_catching_up = self->playout.speed_ppm == LS_CLIENT_SPEED_PPM;
    uint64_t window_ns = is_catching_up ? LS_CLIENT_AHEAD_NS / 4 : LS_CLIENT_AHEAD_NS;
    bool is_due = now_ns - self->ahead_ns >= window_ns;
    if (LS_FAULT(INPUTS_STAY_AHEAD))
        is_anew = is_due = false;
    if (!is_anew && !is_due && ahead < self->ahead) {
        self->ahead_max = ahead > self->ahead_max ? ahead : self->ahead_max;
        return;
    }
    self->ahead = is_anew || ahead > self->ahead_max ? ahead : self->ahead_max;
    self->ahead_max = 0;
    self->ahead_ns = now_ns;
}

static void predict(ls_session *self, uint64_t now_ns)
{
    if (!self->prediction)
        return;
    choose_ahead(self, now_ns);
    uint64_t before = ls_prediction_get_stats(self->prediction).rollback_ticks;
    ls_error error;
    if (ls_prediction_update(self->prediction, self->playout.tick + self->ahead, &error) != LS_OK)
        self->predictions_failed++;
    ls_reporter_note_rollback(&self->client->outbox.reporter,
                              ls_prediction_get_stats(self->prediction).rollback_ticks - before);
}

void ls_session_update(ls_session *session, uint64_t now_ns)
{
    ls_client_step(session->client, now_ns);
    if (!session->world)
        return;
    ls_client_stats stats = ls_client_get_stats(session->client);
    /* Only TICKS give the head an arrival time; a snapshot does not. */
    if (stats.head_ns != session->head_ns) {
        session->head_ns = stats.head_ns;
        ls_pacer_arrival(&session->pacer, stats.head_ns, stats.head);
    }
    bool is_paced = ls_pacer_update(&session->pacer, now_ns, &session->playout);
    if (is_paced) {
        ls_client_set_limit(session->client, session->playout.tick);
        ls_client_step(session->client, now_ns); /* runs the ticks that the new limit allows */
    }
    begin_prediction(session);
    /* There is no playout before the first ticks arrive, and again after a new epoch until ticks
     * arrive. */
    if (is_paced)
        predict(session, now_ns);
}

/* While a tick below the playout is missing, shows the end of the last tick. While the world is
 * ahead of the playout, as after a snapshot, shows the beginning of the world's tick. */
static uint32_t fraction_of(const ls_session *session)
{
    uint64_t tick = ls_world_tick(session->world), playout = session->playout.tick;
    return tick < playout ? UINT32_MAX : tick > playout ? 0 : session->playout.fraction;
}

ls_session_view ls_session_view_of(const ls_session *session)
{
    if (!session->world)
        return (ls_session_view){0};
    bool is_behind = ls_world_tick(session->world) < session->playout.tick;
    const ls_prediction *prediction = session->prediction;
    return (ls_session_view){
        .confirmed = session->world,
        .confirmed_previous = session->before,
        .predicted = prediction ? ls_prediction_world(prediction) : session->world,
        .predicted_previous = prediction ? ls_prediction_previous(prediction) : session->before,
        .fraction = fraction_of(session),
        .is_stalled = is_behind || session->playout.is_stalled};
}

bool ls_session_poll(ls_session *session, ls_event_update *update)
{
    return session->events && ls_events_poll(session->events, update);
}

/* Adds the input to the prediction. A refusal is ignored: the input then shows once it is
 * confirmed. */
static void predict_input(ls_session *session, uint64_t tick, const ls_input *input)
{
    if (session->prediction)
        (void)!ls_prediction_input(session->prediction, tick, input, NULL);
}

ls_status ls_session_submit(ls_session *session, const uint8_t *data, uint32_t bytes)
{
    uint64_t tick = input_tick(session);
    ls_status status = ls_client_submit_at(session->client, tick, data, bytes);
    if (status == LS_OK)
        predict_input(session, tick,
                      &(ls_input){.kind = LS_INPUT, .bytes = (uint16_t)bytes, .data = data});
    return status;
}

ls_status ls_session_submit_state(ls_session *session, const uint8_t *bytes)
{
    uint64_t tick = input_tick(session);
    if (tick < session->held_tick)
        return LS_OK;
    ls_status status = ls_client_submit_state(session->client, tick, bytes);
    if (status != LS_OK)
        return status;
    session->held_tick = tick + 1;
    uint32_t count = ls_program_sim(session->program)->state_bytes;
    predict_input(session, tick,
                  &(ls_input){.kind = LS_STATE, .bytes = (uint16_t)count, .data = bytes});
    return LS_OK;
}

ls_session_stats ls_session_get_stats(const ls_session *session)
{
    ls_session_stats stats = {.playout_tick = session->playout.tick,
                              .input_tick = input_tick(session),
                              .predictions_failed = session->predictions_failed};
    if (!session->world)
        return stats;
    ls_pacer_stats pacer = ls_pacer_get_stats(&session->pacer);
    stats.depth_ns = pacer.depth_ns;
    stats.jitter_ns = pacer.jitter_ns;
    stats.stalls = pacer.stalls;
    stats.snaps = pacer.snaps;
    stats.events = ls_events_get_stats(session->events);
    stats.predicted_tick = ls_world_tick(session->world);
    if (session->prediction) {
        stats.prediction = ls_prediction_get_stats(session->prediction);
        stats.predicted_tick = ls_world_tick(ls_prediction_world(session->prediction));
    }
    return stats;
}
