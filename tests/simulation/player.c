#include "player.h"

#include "failing_memory.h"
#include "player_inputs.h"

#include "client/client_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RESTART_NS LS_SECOND_NS
/* The server must report a difference within NAMED_NS. The report may name a tick at most
 * NAMED_TICKS after the first different one, unless several updates with its root were lost. */
#define NAMED_NS    (6 * LS_SECOND_NS)
#define NAMED_TICKS (2 * LS_UPDATE_ROOTS_MAX)
/* A line that loses this or more may lose the updates of all ticks within the server's grace. */
#define LOSSY (LS_PROBABILITY_ONE / 10)
/* Both sides keep the states of past ticks for at least this long. */
#define KEPT_NS (9 * LS_SECOND_NS / 10)

static uint64_t now(const struct player *self)
{
    return self->shared->now_ns;
}

bool player_is_hostile(const struct player *self)
{
    return self->plan->role == ROLE_LIAR || self->plan->role == ROLE_CONTRARIAN;
}

static bool note_cell(void *argument, const ls_difference *difference)
{
    struct player_cell *cell = argument;
    snprintf(cell->place, sizeof cell->place, "%s", difference->place);
    snprintf(cell->server, sizeof cell->server, "%s", difference->a ? difference->a : "-");
    snprintf(cell->client, sizeof cell->client, "%s", difference->b ? difference->b : "-");
    return false;
}

/* Finds the cell in which the client's world is wrong. Flipping the same bit again in a copy gives
 * the correct world to compare with. */
static void note_wrong_cell(struct player *self)
{
    bool was_inside = failing_memory_pause();
    ls_world *bad = self->client->playback.world, *good = ls_world_create_sibling(bad);
    LS_ASSERT(ls_world_flip_bit(good, self->plan->pick, (char[128]){0}, 128));
    ls_world_diff(good, bad, note_cell, &self->wrong_cell);
    ls_world_destroy(good);
    failing_memory_go_on(was_inside);
}

static void log_line(void *context, const char *line)
{
    struct player *self = context;
    unsigned long long tick;
    verdict_note(&self->shared->verdict, "%s %s", self->name, line);
    if (sscanf(line, "corrupted tick=%llu", &tick) != 1)
        return;
    note_wrong_cell(self);
    self->was_wrong = self->is_wrong = true;
    self->is_disturbed = self->line.rate || self->cut_until_ns || now(self) < self->slow_until_ns ||
                         !self->shared->is_up;
    self->wrong_tick = tick;
    self->wrong_ns = now(self);
    self->wrong_resumes = (uint32_t)self->client->connection.stats.resumes;
}

static void see_run(struct player *self, const ls_frame *frame)
{
    ls_client *client = self->client;
    uint32_t epoch = client->connection.accept.epoch;
    ledger_check_frame(self->ledger, epoch, frame->tick, frame, self->name);
    uint64_t root = ls_world_root(client->playback.world);
    /* If the flipped bit is overwritten before a report arrives, nothing differs any more. */
    if (self->is_wrong && frame->tick >= self->wrong_tick &&
        ledger_has_root(self->ledger, epoch, frame->tick + 1, root))
        self->is_wrong = false;
    if (!self->is_wrong)
        ledger_check_root(self->ledger, epoch, frame->tick + 1, root, self->name);
    if (!client->playback.is_playing || self->shared->is_quiet)
        return;
    player_inputs_contradict(self);
    /* With a session, orders are given later, between two pictures. */
    if (self->view.session)
        self->turns++;
    else
        player_inputs_give_orders(self);
}

static void ran(void *context, const ls_frame *frame)
{
    bool was_inside = failing_memory_pause();
    see_run(context, frame);
    failing_memory_go_on(was_inside);
}

static void loaded(void *context)
{
    struct player *self = context;
    self->is_wrong = false;
    self->is_disturbed = true;
    ledger_check_root(self->ledger, self->client->connection.accept.epoch,
                      self->client->playback.frames.next,
                      ls_world_root(self->client->playback.world), self->name);
}

static void open_client(struct player *self, const ls_client_config *config)
{
    ls_error error = {""};
    self->turns = 0;
    if (!self->plan->has_session) {
        LS_ASSERT(ls_client_create(config, &self->client, &error) == LS_OK);
        return;
    }
    LS_ASSERT(player_view_init(&self->view, self->shared, config, self->plan, &error) == LS_OK);
    self->view.name = self->name;
    self->client = ls_session_client(self->view.session);
}

static void start(struct player *self)
{
    struct run_shared *shared = self->shared;
    bool is_stranger = self->plan->role == ROLE_STRANGER;
    uint32_t differs = is_stranger ? (uint32_t)(self->plan->pick % 3) : 0;
    self->life++;
    self->wish_ns = now(self);
    self->was_wrong = self->is_wrong = self->was_named = false;
    snprintf(self->name, sizeof self->name, "p%u.%u", self->index, self->life);
    ls_client_config config = ls_client_config_default();
    config.program = is_stranger && !differs ? shared->other_program : shared->program;
    self->link.foreign_byte = differs == 1 ? 5 : differs == 2 ? 7 : 0;
    config.pin = &shared->identity.public_key;
    config.entropy = &shared->entropy;
    config.unix_s = node_clock_unix_s(&self->clock, now(self));
    config.link = hostile_link_open(&self->link, &self->line);
    config.resume_secret = self->has_secret ? self->secret : NULL;
    config.is_spectator = self->plan->role == ROLE_SPECTATOR;
    config.ran = ran;
    config.loaded = loaded;
    config.hook_context = self;
    config.log = log_line;
    config.log_context = self;
    if (self->plan->role == ROLE_CORRUPT && self->life == 1)
        config.corrupt_at = self->plan->corrupt_at;
    config.corrupt_pick = self->plan->pick;
    snprintf(config.name, sizeof config.name, "%s", self->name);
    snprintf(config.room, sizeof config.room, "room%u", self->plan->room);
    open_client(self, &config);
}

void player_init(struct player *self, struct run_shared *shared, uint32_t index,
                 struct ledger *ledger)
{
    *self = (struct player){.shared = shared,
                            .plan = &shared->plan.players[index],
                            .ledger = ledger,
                            .index = index,
                            .draws = draws_make(shared->plan.seed, 100 + index)};
    self->line = self->plan->line;
    self->starts_ns = shared->start_ns + self->plan->joins_ns;
    snprintf(self->name, sizeof self->name, "p%u.0", index);
    hostile_link_init(&self->link, shared->network, draws_make(shared->plan.seed, 200 + index));
}

static void stop(struct player *self)
{
    if (self->view.session)
        player_view_reset(&self->view, false);
    else
        ls_client_destroy(self->client);
    self->client = NULL;
}

void player_reset(struct player *self)
{
    if (self->client)
        stop(self);
    hostile_link_kill(&self->link);
    orders_reset(&self->orders);
}

/* Checks the reason when the client ended without being killed. */
static void look_at_end(struct player *self)
{
    struct verdict *verdict = &self->shared->verdict;
    ls_client_state state = ls_client_get_state(self->client);
    const char *reason = ls_client_reason(self->client);
    bool is_kicked = strstr(reason, "the server ended the session") != NULL;
    bool may_be_kicked = self->was_wrong || player_is_hostile(self) || self->flood_until_ns;
    if (is_kicked && !may_be_kicked)
        verdict_fail(verdict, CONTAINED, "%s was kicked: %s", self->name, reason);
    /* Either half identifies the attacker's text, because a line may have flipped a bit in the
     * other. */
    bool is_forged = strstr(reason, ATTACKER_FIRST) || strstr(reason, ATTACKER_SECOND);
    if (is_forged)
        self->misled_ns = now(self);
    /* No key protects the code in a REJECT, so it is checked only on a line that damages no
     * packets. */
    bool is_refused = self->plan->role == ROLE_STRANGER && state == LS_CLIENT_REFUSED;
    if (is_refused && !is_forged && !self->line.corrupt &&
        ls_client_refusal(self->client) != LS_ERROR_INCOMPATIBLE)
        verdict_fail(verdict, SOUND, "%s was refused otherwise: %s", self->name, reason);
    /* Sealed messages arrive unchanged or not at all, so a snapshot must be readable. */
    if (strstr(reason, "snapshot cannot be read"))
        verdict_fail(verdict, SOUND, "%s was sent what it cannot load: %s", self->name, reason);
    bool is_match_over = strstr(reason, "the match ended") || strstr(reason, "match is over");
    self->is_out |= is_kicked || is_refused;
    self->is_done |= self->is_out || is_match_over || self->shared->is_ending;
    self->is_excused = true;
    stop(self);
    hostile_link_kill(&self->link);
    self->starts_ns = now(self) + RESTART_NS;
}

static void watch_difference(struct player *self)
{
    self->is_excused |= self->was_wrong; /* the server may refuse its inputs for ever */
    /* A client that lost the server cannot report a difference, even when that was before it
     * differed. */
    self->is_disturbed |= self->client->connection.stats.resumes != self->wrong_resumes ||
                          ls_client_get_state(self->client) == LS_CLIENT_RESUMING;
    if (self->plan->role == ROLE_CORRUPT && self->is_wrong && !self->was_named &&
        !self->is_disturbed && now(self) - self->wrong_ns > NAMED_NS)
        verdict_fail(&self->shared->verdict, NAMED_DESYNC,
                     "%s differs from tick %" PRIu64 " on and nobody says so", self->name,
                     self->wrong_tick);
}

static void lie(struct player *self)
{
    ls_root_queue *roots = &self->client->outbox.roots;
    if (self->plan->role != ROLE_LIAR || self->shared->is_calm || !roots->count ||
        !draws_percent(&self->draws, 2))
        return;
    roots->entries[(roots->first + roots->count - 1) % LS_ROOT_QUEUE_MAX].root ^= 1;
    self->client->outbox.has_unsent = true;
    self->was_wrong = self->is_disturbed = true;
}

static void note_secret(struct player *self)
{
    const uint8_t *secret = ls_client_resume_secret(self->client);
    self->has_secret = secret != NULL;
    if (secret)
        memcpy(self->secret, secret, sizeof self->secret);
}

/* Ends a player's dead process; the player starts another later. */
static void leave(struct player *self)
{
    hostile_link_kill(&self->link);
    self->is_excused = true;
    self->starts_ns = now(self) + draws_range(&self->draws, 50, 3000) * RUN_MS;
    self->wish_ns = 0;
}

static void work(void *context)
{
    struct player *self = context;
    uint64_t now_ns = node_clock_show(&self->clock, now(self));
    uint64_t wish_ns = self->view.session ? player_view_update(&self->view, now_ns)
                                          : ls_client_step(self->client, now_ns);
    self->wish_ns = node_clock_reach(&self->clock, wish_ns);
}

/* Handles a client that died for lack of memory: its memory must not be touched from here on. */
static void die_without_memory(struct player *self)
{
    verdict_note(&self->shared->verdict, "%s has no memory", self->name);
    player_view_reset(&self->view, true);
    self->client = NULL;
    self->has_secret = false;
    leave(self);
}

void player_step(struct player *self)
{
    if (self->cut_until_ns && now(self) >= self->cut_until_ns) {
        self->cut_until_ns = 0;
        player_set_line(self, &self->line);
    }
    if (!self->client && !self->is_done && now(self) >= self->starts_ns)
        start(self);
    if (self->read_until_ns && now(self) >= self->read_until_ns) {
        self->read_until_ns = 0;
        hostile_link_slow(&self->link, 0);
    }
    bool is_due = self->wish_ns <= now(self) ||
                  (now(self) >= self->slow_until_ns && !self->view.session &&
                   hostile_link_has_news(&self->link, node_clock_show(&self->clock, now(self))));
    if (!self->client || !is_due)
        return;
    lie(self);
    uint8_t seat = self->client->connection.stats.player;
    if (failing_memory_run(self->index, work, self)) {
        die_without_memory(self);
        return;
    }
    if (now(self) < self->slow_until_ns)
        self->wish_ns = now(self) + draws_range(&self->draws, 50, 400) * RUN_MS;
    if (self->life > 1 ||
        (seat != LS_HANDSHAKE_PLAYER_NONE && seat != self->client->connection.stats.player))
        self->is_excused = true;
    watch_difference(self);
    if (self->view.session)
        player_view_look(&self->view);
    if (ls_client_is_final(self->client))
        look_at_end(self);
    else
        player_inputs_act(self);
}

uint64_t player_next_ns(const struct player *self)
{
    if (self->is_done)
        return UINT64_MAX;
    uint64_t next = self->client ? self->wish_ns : self->starts_ns;
    return self->cut_until_ns && self->cut_until_ns < next ? self->cut_until_ns : next;
}

void player_kill(struct player *self, bool keeps_secret)
{
    if (!self->client)
        return;
    self->has_secret = false;
    if (keeps_secret)
        note_secret(self);
    verdict_note(&self->shared->verdict, "%s dies", self->name);
    stop(self);
    leave(self);
}

void player_set_line(struct player *self, const ls_impairment_conditions *line)
{
    self->line = *line;
    self->is_disturbed = true;
    if (self->link.over.inner && !self->cut_until_ns)
        ls_network_set_conditions(self->link.over.inner, line);
}

void player_cut(struct player *self, bool server, bool client, uint64_t until_ns)
{
    ls_impairment_conditions dead = self->line;
    dead.loss = LS_PROBABILITY_ONE;
    self->is_disturbed = true;
    if (!self->link.over.inner)
        return;
    self->cut_until_ns = until_ns;
    if (server)
        ls_network_set_direction(self->link.over.inner, LS_ROLE_SERVER, &dead);
    if (client)
        ls_network_set_direction(self->link.over.inner, LS_ROLE_CLIENT, &dead);
}

void player_read_slowly(struct player *self, uint32_t reads_per_s, uint64_t until_ns)
{
    self->is_disturbed = true;
    self->read_until_ns = until_ns;
    hostile_link_slow(&self->link, reads_per_s);
}

void player_rebind(struct player *self)
{
    self->is_disturbed = true;
    if (self->link.over.inner)
        ls_network_rebind(self->link.over.inner);
}

void player_shift_clock(struct player *self)
{
    uint64_t draw = draws_range(&self->draws, 0, 2);
    if (draw == 0)
        node_clock_stand(&self->clock, now(self),
                         now(self) + draws_range(&self->draws, 10, 4000) * RUN_MS);
    else if (draw == 1)
        self->clock.ahead_ns += draws_range(&self->draws, 1, 20000) * RUN_MS;
    else
        self->clock.wall_s = node_clock_draw_wall(&self->draws);
    self->is_disturbed |= draw < 2;
    self->wish_ns = now(self);
}

void player_calm(struct player *self)
{
    ls_impairment_conditions line = plan_calm_line();
    self->cut_until_ns = self->slow_until_ns = 0;
    self->clock.stands_till_ns = 0;
    self->clock.wall_s = 0;
    hostile_link_slow(&self->link, 0);
    if (self->flood_until_ns)
        self->flood_until_ns = 1; /* not 0: remembers that there was a flood */
    self->link.replay_percent = 0;
    player_set_line(self, &line);
    if (self->wish_ns > now(self))
        self->wish_ns = now(self);
}

/* Returns how many ticks after the first different one the server may name. */
static uint64_t named_ticks(const struct player *self)
{
    uint64_t grace = self->shared->plan.tick_rate * LS_SERVER_DESYNC_GRACE_NS / LS_SECOND_NS;
    return NAMED_TICKS + (self->line.loss >= LOSSY ? grace : 0);
}

void player_hear_desync(struct player *self, uint32_t life, uint64_t tick, uint64_t from)
{
    if (life != self->life)
        return; /* about a process that has since died */
    if (!self->was_wrong)
        verdict_fail(&self->shared->verdict, NO_FALSE_DESYNC, "%s is accused at tick %" PRIu64,
                     self->name, tick);
    else if (self->plan->role == ROLE_CORRUPT &&
             (tick < self->wrong_tick || from > self->wrong_tick ||
              (!self->is_disturbed && tick > self->wrong_tick + named_ticks(self))))
        verdict_fail(&self->shared->verdict, NAMED_DESYNC,
                     "%s differs from tick %" PRIu64 " on, the server says %" PRIu64, self->name,
                     self->wrong_tick, tick);
    self->was_named = true;
}

/* Checks the cell that the server names. In the state right after the flip, only the flipped cell
 * differs. */
void player_hear_cell(struct player *self, uint32_t life, const struct player_finding *found)
{
    struct verdict *verdict = &self->shared->verdict;
    const struct player_cell *reported = &found->cell, *wrong = &self->wrong_cell;
    if (life != self->life)
        return;
    if (self->plan->role != ROLE_CORRUPT || !self->was_wrong || found->tick < self->wrong_tick) {
        verdict_fail(verdict, NO_FALSE_DESYNC, "%s is said to differ at tick %" PRIu64 " in %s",
                     self->name, found->tick, reported->place);
        return;
    }
    if (found->tick != self->wrong_tick)
        return;
    if (found->differences != 1 || strcmp(reported->place, wrong->place) != 0 ||
        strcmp(reported->server, wrong->server) != 0 ||
        strcmp(reported->client, wrong->client) != 0)
        verdict_fail(verdict, NAMED_DESYNC,
                     "%s has %s in %s instead of %s; the server says %s in %s instead of %s, and "
                     "%u more",
                     self->name, wrong->client, wrong->place, wrong->server, reported->client,
                     reported->place, reported->server, found->differences - 1);
    verdict_note(verdict, "%s has its cell named", self->name);
}

/* Checks a case without a finding: the server must accept an honest report, and the client must
 * still keep the reported state. */
void player_hear_nothing(struct player *self, uint32_t life, uint64_t tick, const char *why)
{
    if (life != self->life || self->plan->role != ROLE_CORRUPT || tick != self->wrong_tick)
        return;
    bool is_soon = !self->is_disturbed && now(self) - self->wrong_ns < KEPT_NS;
    bool is_misunderstood = strncmp(why, "its ", 4) == 0 && !strstr(why, "already requested");
    bool is_gone = strstr(why, "no longer has this state") || strstr(why, "no tick whose state");
    if (is_misunderstood || (is_soon && is_gone))
        verdict_fail(&self->shared->verdict, NAMED_DESYNC,
                     "%s differs from tick %" PRIu64 " on in %s, and that is not found: %s",
                     self->name, tick, self->wrong_cell.place, why);
}

bool player_is_there(const struct player *self, uint64_t tick)
{
    if (self->is_done)
        return true;
    if (self->plan->role == ROLE_STRANGER)
        return false; /* the server should have refused it */
    if (!self->client || ls_client_get_state(self->client) != LS_CLIENT_PLAYING)
        return false;
    ls_client_stats stats = ls_client_get_stats(self->client);
    bool plays = self->plan->role == ROLE_SPECTATOR || stats.is_playing;
    bool may_play = !self->was_wrong || stats.is_playing;
    return stats.tick + self->shared->plan.tick_rate >= tick && (plays || !may_play);
}
