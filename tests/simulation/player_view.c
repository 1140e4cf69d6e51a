#include "player_view.h"

#include "client/client_internal.h"
#include "client/pacer.h"
#include "proto/congestion_level.h"

#include <inttypes.h>
#include <string.h>

/* Limits on a calm line, at any picture rate. The playout may be after the head by at most its
 * depth plus what an outage added, which decays slowly. */
#define AHEAD_NS     (150 * RUN_MS)
#define AHEAD_TICKS  4
#define BEHIND_NS    ((uint64_t)LS_CLIENT_DEPTH_MAX_NS + 100 * RUN_MS)
#define BEHIND_TICKS (LS_CLIENT_PACE_ARRIVAL_TICKS_MAX + 2)

static uint64_t hash_of(uint64_t tick, const ls_component *event, const void *value)
{
    uint64_t hash = 1469598103934665603u ^ tick;
    for (const char *at = event->name; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 1099511628211u;
    for (uint32_t i = 0; i < event->bytes; i++)
        hash = (hash ^ ((const uint8_t *)value)[i]) * 1099511628211u;
    return hash;
}

static void see_run(void *context, const ls_frame *frame)
{
    struct player_view *self = context;
    self->ran(self->hook_context, frame);
    const ls_world *world = ls_client_world(ls_session_client(self->session));
    const ls_sim *sim = ls_program_sim(self->shared->program);
    for (uint32_t i = 0; i < sim->component_count; i++) {
        ls_event_walk walk;
        if (!sim->components[i]->event_ticks)
            continue;
        ls_world_event_begin(world, sim->components[i], &walk);
        for (const void *value; (value = ls_event_next(&walk));)
            self->sum_run += hash_of(frame->tick, sim->components[i], value);
    }
    self->player_ran(self->player, frame);
}

static void see_load(void *context)
{
    struct player_view *self = context;
    self->loaded(self->hook_context);
    self->player_loaded(self->player);
}

/* Replaces the hooks that the session has set by hooks that call the session's first and then the
 * player's. */
static void chain(struct player_view *self, const ls_client_config *config)
{
    ls_client *client = ls_session_client(self->session);
    self->ran = client->playback.ran;
    self->loaded = client->playback.loaded;
    self->hook_context = client->playback.hook_context;
    self->player_ran = config->ran;
    self->player_loaded = config->loaded;
    self->player = config->hook_context;
    client->playback.ran = see_run;
    client->playback.loaded = see_load;
    client->playback.hook_context = self;
}

ls_status player_view_init(struct player_view *self, struct run_shared *shared,
                           const ls_client_config *config, const plan_player *plan, ls_error *error)
{
    ls_client_config own = *config;
    own.ran = NULL;
    own.loaded = NULL;
    *self = (struct player_view){
        .shared = shared, .name = config->name, .picture_ns = plan->picture_ns};
    ls_status status = ls_session_create(&own, plan->predict_ticks, &self->session, error);
    if (status == LS_OK)
        chain(self, config);
    return status;
}

void player_view_reset(struct player_view *self, bool is_dead)
{
    ls_free(self->open);
    if (!is_dead)
        ls_session_destroy(self->session);
    *self = (struct player_view){0};
}

uint64_t player_view_update(struct player_view *self, uint64_t now_ns)
{
    ls_session_update(self->session, now_ns);
    return now_ns + self->picture_ns;
}

static view_event *find_open(struct player_view *self, uint64_t id)
{
    for (uint32_t i = 0; i < self->open_count; i++)
        if (self->open[i].id == id)
            return &self->open[i];
    return NULL;
}

static void add_open(struct player_view *self, const ls_event_update *update)
{
    if (self->open_count == self->open_capacity) {
        self->open_capacity = 2 * self->open_capacity + 64;
        self->open = ls_realloc(self->open, self->open_capacity * sizeof *self->open);
    }
    self->open[self->open_count++] = (view_event){update->id, update->tick};
}

static void hear(struct player_view *self, const ls_event_update *update)
{
    view_event *known = find_open(self, update->id);
    if ((update->kind == LS_EVENT_HAPPENED) != (known == NULL))
        verdict_fail(&self->shared->verdict, SOUND,
                     "%s is told of event %" PRIu64 " of tick %" PRIu64 " %s", self->name,
                     update->id, update->tick, known ? "twice" : "before it happens");
    else if (!known && !update->is_confirmed)
        add_open(self, update);
    else if (known)
        *known = self->open[--self->open_count];
    if (update->is_confirmed && update->kind != LS_EVENT_CANCELLED)
        self->sum_told += hash_of(update->tick, update->event, update->value);
}

static void look_at_events(struct player_view *self)
{
    ls_event_update update;
    while (ls_session_poll(self->session, &update))
        hear(self, &update);
    ls_session_stats stats = ls_session_get_stats(self->session);
    uint64_t tick = ls_client_get_stats(ls_session_client(self->session)).tick;
    if (stats.events.left_out)
        return;
    if (self->sum_run != self->sum_told)
        verdict_fail(&self->shared->verdict, SOUND,
                     "%s is not told of the events that were confirmed by tick %" PRIu64,
                     self->name, tick);
    for (uint32_t i = 0; i < self->open_count; i++)
        if (self->open[i].tick < tick)
            verdict_fail(&self->shared->verdict, SOUND,
                         "%s: an event of tick %" PRIu64 " is open at tick %" PRIu64, self->name,
                         self->open[i].tick, tick);
}

void player_view_look(struct player_view *self)
{
    ls_client_stats client = ls_client_get_stats(ls_session_client(self->session));
    ls_session_stats stats = ls_session_get_stats(self->session);
    look_at_events(self);
    if (ls_congestion_level_spacing_ns(client.congestion))
        self->congested_ns = self->shared->now_ns;
    if (stats.input_tick < client.head || stats.input_tick - client.head >= LS_CLIENT_STATE_AHEAD)
        verdict_fail(&self->shared->verdict, SOUND,
                     "%s makes inputs for tick %" PRIu64 ", the head is %" PRIu64, self->name,
                     stats.input_tick, client.head);
    if (stats.predictions_failed)
        verdict_fail(&self->shared->verdict, SOUND, "%s cannot predict", self->name);
    if (client.head == self->head)
        return; /* when the head stops, the playout reaches it and inputs go beyond: not measured */
    self->head = client.head;
    uint64_t ahead = stats.input_tick - client.head;
    uint64_t behind = client.head > stats.playout_tick ? client.head - stats.playout_tick : 0;
    self->ahead_max = ahead > self->ahead_max ? ahead : self->ahead_max;
    self->behind_max = behind > self->behind_max ? behind : self->behind_max;
}

void player_view_settle(struct player_view *self)
{
    ls_client_stats client = ls_client_get_stats(ls_session_client(self->session));
    self->resumes = client.resumes;
    self->loads = client.snapshots_loaded;
    self->settled_ns = self->shared->now_ns;
}

/* Whether this stay in the match is the one that player_view_settle() saw. */
static bool is_as_settled(const struct player_view *self, const ls_client_stats *client)
{
    return client->is_playing && !client->is_paused && client->resumes == self->resumes &&
           client->snapshots_loaded == self->loads;
}

uint64_t player_view_congested_ns(const struct player_view *self)
{
    if (!self->session)
        return 0;
    ls_client_stats client = ls_client_get_stats(ls_session_client(self->session));
    return is_as_settled(self, &client) ? self->congested_ns : 0;
}

void player_view_measure(struct player_view *self)
{
    ls_session_stats stats = ls_session_get_stats(self->session);
    ls_client_stats client = ls_client_get_stats(ls_session_client(self->session));
    self->is_measured = client.is_playing && !client.is_paused;
    self->substitutes = client.substitutes;
    self->measured_tick = client.tick;
    self->measured = stats.prediction;
    self->ahead_max = self->behind_max = 0;
}

static void judge_rollbacks(const struct player_view *self, uint64_t ticks)
{
    ls_prediction_stats stats = ls_session_get_stats(self->session).prediction;
    uint64_t rollbacks = stats.rollbacks - self->measured.rollbacks;
    /* A quiet player changes its state at most once in RUN_HELD_TICKS, so rollbacks are
     * limited. */
    uint32_t players =
        ls_world_match(ls_client_world(ls_session_client(self->session)))->player_count;
    uint64_t max = (ticks / RUN_HELD_TICKS + 2) * players;
    if (rollbacks > max)
        verdict_fail(&self->shared->verdict, CONVERGES,
                     "%s rolls back %" PRIu64 " times in %" PRIu64 " ticks while nobody acts",
                     self->name, rollbacks, ticks);
}

void player_view_judge(const struct player_view *self)
{
    ls_client_stats client = ls_client_get_stats(ls_session_client(self->session));
    bool is_same = self->is_measured && is_as_settled(self, &client) &&
                   self->shared->desync_ns < self->settled_ns;
    uint64_t tick_ns = LS_SECOND_NS / self->shared->plan.tick_rate;
    uint64_t ticks = client.tick - self->measured_tick;
    if (!is_same)
        return;
    verdict_note(&self->shared->verdict,
                 "%s ahead=%" PRIu64 " behind=%" PRIu64 " ticks=%" PRIu64 " substitutes=%" PRIu64,
                 self->name, self->ahead_max, self->behind_max, ticks,
                 client.substitutes - self->substitutes);
    if (self->ahead_max * tick_ns > AHEAD_NS + self->picture_ns + AHEAD_TICKS * tick_ns)
        verdict_fail(&self->shared->verdict, CONVERGES,
                     "%s makes inputs %" PRIu64 " ticks ahead of the head", self->name,
                     self->ahead_max);
    if (self->behind_max * tick_ns > BEHIND_NS + self->picture_ns + BEHIND_TICKS * tick_ns)
        verdict_fail(&self->shared->verdict, CONVERGES,
                     "%s shows what was %" PRIu64 " ticks before the head", self->name,
                     self->behind_max);
    if (client.substitutes - self->substitutes > ticks / 10 + 2)
        verdict_fail(&self->shared->verdict, CONVERGES,
                     "%s has %" PRIu64 " of %" PRIu64 " states in time", self->name,
                     ticks - (client.substitutes - self->substitutes), ticks);
    judge_rollbacks(self, ticks);
}
