#include "run_internal.h"

#include "failing_memory.h"
#include "forked_run.h"
#include "held_sim.h"
#include "narrow_line.h"
#include "tally_sim.h"
#include "watch.h"

#include "sims/builtin.h"

#include <inttypes.h>
#include <string.h>

#define CONVERGE_NS (60 * LS_SECOND_NS)
#define LAND_NS     (30 * LS_SECOND_NS)
#define END_NS      (20 * LS_SECOND_NS)
/* SETTLE_NS after the last fault, its effects must be gone from all views; they are then measured
 * for VIEW_NS. A view that put several ticks into one packet in the last DELAY_NS, because its line
 * was congested, has UNCONGEST_NS more to stop it; its input delay follows in DELAY_NS. */
#define SETTLE_NS    (10 * LS_SECOND_NS)
#define UNCONGEST_NS (40 * LS_SECOND_NS)
#define DELAY_NS     (4 * LS_SECOND_NS)
#define VIEW_NS      (2 * LS_SECOND_NS)
/* After NARROW_NS a queue before the narrow line must be gone; it is then watched for WATCH_NS. */
#define NARROW_NS (15 * LS_SECOND_NS)
#define WATCH_NS  (10 * LS_SECOND_NS)

static void fill_secrets(void *context, void *bytes, size_t count)
{
    struct run_shared *shared = context;
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)(draws_next(&shared->secrets) >> 32);
}

static const ls_sim *sim_of(plan_sim which)
{
    return which == PLAN_TALLY  ? &tally_sim
           : which == PLAN_HELD ? &held_sim
                                : ls_sim_builtin("skirmish");
}

static void set_up(struct run *self, const run_config *config)
{
    struct run_shared *shared = &self->shared;
    ls_error error = {""};
    shared->plan = plan_draw(config->seed, config->only);
    shared->now_ns = shared->start_ns = LS_SECOND_NS;
    shared->verdict.now_ns = shared->now_ns;
    shared->verdict.is_printing = config->is_printing;
    shared->secrets = draws_make(config->seed, 4);
    shared->entropy = (ls_entropy){fill_secrets, shared};
    ls_impairment_conditions line = plan_calm_line();
    shared->network = ls_network_create(config->seed, &line);
    ls_network_use_clock(shared->network, &shared->now_ns);
    ls_identity_init(&shared->identity, &shared->entropy);
    LS_ASSERT(ls_program_create(sim_of(shared->plan.sim), &shared->program, &error) == LS_OK);
    LS_ASSERT(ls_program_create(&tally_other_sim, &shared->other_program, &error) == LS_OK);
    self->draws = draws_make(config->seed, 5);
    server_node_init(&self->node, shared, self->players);
    for (uint32_t i = 0; i < shared->plan.player_count; i++)
        player_init(&self->players[i], shared, i,
                    &self->node.rooms[shared->plan.players[i].room].ledger);
    run_begin_attack(self);
}

static void tear_down(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        player_reset(&self->players[i]);
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        attacker_reset(&self->attackers[i]);
    attacker_store_reset(&self->attack);
    server_node_reset(&self->node);
    ls_network_destroy(self->shared.network);
    ls_program_destroy(self->shared.program);
    ls_program_destroy(self->shared.other_program);
    ls_identity_reset(&self->shared.identity);
}

/* Fails when an attacker's REJECT ended a player's attempt to join that should have succeeded. When
 * the server's answers are lost, or when it refuses too, the attacker's REJECT may come last.
 * Neither happens on calm lines, after the seats are free of players that fell silent, of failed
 * attempts, and of those that may return. */
static void watch_misled(struct run *self, struct player *player)
{
    const node_room *room = &self->node.rooms[player->plan->room];
    uint64_t kept_ns = self->shared.plan.rooms[player->plan->room].keep_seats_s * LS_SECOND_NS;
    uint64_t since_ns = self->shared.calm_ns + LS_SERVER_SILENCE_NS + LS_SERVER_HANDSHAKE_MAX_NS +
                        2 * LS_SECOND_NS + kept_ns;
    if (player->misled_ns && self->shared.is_calm && player->misled_ns > since_ns &&
        player->plan->role != ROLE_STRANGER && room->room)
        verdict_fail(&self->shared.verdict, CONTAINED, "%s was refused by an attacker",
                     player->name);
    player->misled_ns = 0;
}

/* Runs every participant with pending work, then advances the time. */
static void step(struct run *self)
{
    struct run_shared *shared = &self->shared;
    server_node_step(&self->node);
    uint64_t next = server_node_next_ns(&self->node);
    for (uint32_t i = 0; i < shared->plan.player_count; i++) {
        if (self->players[i].link.attacker)
            attacker_step(&self->attackers[i], self->players[i].link.over.inner);
        player_step(&self->players[i]);
        watch_misled(self, &self->players[i]);
        uint64_t wish = player_next_ns(&self->players[i]);
        next = wish < next ? wish : next;
    }
    uint64_t arrival = ls_network_next_ns(shared->network);
    next = arrival < next ? arrival : next;
    next = next < shared->now_ns + 50 * RUN_MS ? next : shared->now_ns + 50 * RUN_MS;
    uint64_t steps = next > shared->now_ns
                         ? (next - shared->now_ns + shared->plan.grid_ns - 1) / shared->plan.grid_ns
                         : 1;
    shared->now_ns += steps * shared->plan.grid_ns;
    shared->verdict.now_ns = shared->now_ns;
    run_failing_memory(self);
}

/* True when no further finding is possible. */
static bool is_broken(const struct run *self)
{
    return self->shared.verdict.broken != HOLDS || self->is_elsewhere;
}

static void run_safety(struct run *self)
{
    struct run_shared *shared = &self->shared;
    uint64_t until_ns = shared->start_ns + shared->plan.safety_ns;
    self->fault_ns = shared->now_ns + draws_range(&self->draws, 1, 2 * shared->plan.fault_every_ns);
    while (shared->now_ns < until_ns && !is_broken(self)) {
        step(self);
        if (shared->now_ns >= self->fault_ns)
            run_strike(self);
    }
}

/* True when the room has players that may join and play. A client that was wrong before its JOIN
 * never plays, not even in a resumed match. */
static bool is_wanted(const struct run *self, uint32_t room)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        if (player->plan->room == room && !player->is_done && !player->was_wrong &&
            player->plan->role != ROLE_SPECTATOR && player->plan->role != ROLE_STRANGER)
            return true;
    }
    return false;
}

static bool is_together(const struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        const node_room *room = &self->node.rooms[player->plan->room];
        if (room->is_over)
            continue;
        if (!room->room)
            return false;
        ls_room_state state = ls_room_get_stats(room->room).state;
        bool is_up =
            state == LS_ROOM_RUNNING || (state == LS_ROOM_WAITING && !is_wanted(self, room->index));
        if (!is_up || !player_is_there(player, ledger_tick_count(&room->ledger)))
            return false;
    }
    return true;
}

static bool has_landed(const struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        bool is_over = self->node.rooms[player->plan->room].is_over;
        if (!is_over && !player->is_done && !player->is_excused && orders_missing(&player->orders))
            return false;
    }
    return true;
}

static bool has_ended(const struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        if (self->players[i].client && !self->players[i].is_done)
            return false;
    return server_node_is_done(&self->node);
}

/* Runs until the condition holds; false when it does not hold after `patience_ns`. */
static bool run_until(struct run *self, bool (*is_so)(const struct run *self), uint64_t patience_ns)
{
    uint64_t until_ns = self->shared.now_ns + patience_ns;
    while (!is_so(self) && !is_broken(self)) {
        if (self->shared.now_ns >= until_ns)
            return false;
        step(self);
    }
    return true;
}

static void report_missing_players(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        const node_room *room = &self->node.rooms[player->plan->room];
        uint64_t tick = ledger_tick_count(&room->ledger);
        watch_describe(&self->node, room);
        ls_client_stats stats = {0};
        if (player->client)
            stats = ls_client_get_stats(player->client);
        if (!room->is_over && !player_is_there(player, tick))
            verdict_fail(&self->shared.verdict, CONVERGES,
                         "%s is %s at tick %" PRIu64 " of %" PRIu64 ", %s", player->name,
                         player->client ? ls_client_state_name(ls_client_get_state(player->client))
                                        : "away",
                         stats.tick, tick, stats.is_playing ? "playing" : "not playing");
    }
    verdict_fail(&self->shared.verdict, CONVERGES, "the rooms do not run");
}

static void report_missing_orders(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        if (!player->is_excused && !player->is_done && orders_missing(&player->orders))
            verdict_fail(&self->shared.verdict, INPUT_ONCE, "%s: %u of %u orders never landed",
                         player->name, orders_missing(&player->orders), player->orders.count);
    }
}

static bool never(const struct run *self)
{
    (void)self;
    return false;
}

static bool is_uncongested(const struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        if (player_view_congested_ns(&self->players[i].view) + DELAY_NS > self->shared.now_ns)
            return false;
    return true;
}

static void settle_views(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        if (self->players[i].view.session)
            player_view_settle(&self->players[i].view);
    run_until(self, never, SETTLE_NS);
    if (!run_until(self, is_uncongested, UNCONGEST_NS) && !is_broken(self))
        verdict_fail(&self->shared.verdict, CONVERGES, "a client still judges its line congested");
}

static void run_sight(struct run *self)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        count += self->players[i].view.session != NULL;
    if (count == 0 || is_broken(self))
        return;
    settle_views(self);
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        if (self->players[i].view.session)
            player_view_measure(&self->players[i].view);
    run_until(self, never, VIEW_NS);
    for (uint32_t i = 0; i < self->shared.plan.player_count && !is_broken(self); i++)
        if (self->players[i].view.session)
            player_view_judge(&self->players[i].view);
}

static void run_narrow(struct run *self)
{
    if (!narrow_line_begin(self))
        return;
    run_until(self, never, NARROW_NS);
    narrow_line_settle(self);
    for (uint32_t i = 0; i < 100 && !is_broken(self); i++) {
        run_until(self, never, WATCH_NS / 100);
        narrow_line_sample(self);
    }
    if (!is_broken(self))
        narrow_line_judge(self);
}

static void run_liveness(struct run *self)
{
    struct run_shared *shared = &self->shared;
    if (is_broken(self))
        return;
    shared->is_calm = true;
    shared->calm_ns = shared->now_ns;
    self->memory_fails_until_ns = 0;
    run_failing_memory(self);
    verdict_note(&shared->verdict, "calm");
    server_node_calm(&self->node);
    for (uint32_t i = 0; i < shared->plan.player_count; i++)
        player_calm(&self->players[i]);
    for (uint32_t i = 0; i < shared->plan.player_count && !shared->plan.is_attacked_on; i++)
        attacker_rest(&self->attackers[i]);
    if (!run_until(self, is_together, CONVERGE_NS))
        report_missing_players(self);
    shared->is_quiet = true;
    verdict_note(&shared->verdict, "quiet");
    if (!run_until(self, has_landed, LAND_NS))
        report_missing_orders(self);
    run_sight(self);
    run_narrow(self);
    shared->is_ending = true;
    server_node_drain(&self->node);
    verdict_note(&shared->verdict, "drain");
    for (uint32_t i = 0; i < shared->plan.player_count; i++)
        if (!self->players[i].client)
            self->players[i].is_done = true;
    if (!run_until(self, has_ended, END_NS))
        verdict_fail(&shared->verdict, CONVERGES, "the matches do not end");
    server_node_check_recordings(&self->node);
}

static void sum_up(struct run *self)
{
    run_result *result = &self->result;
    if (self->is_elsewhere && self->is_fork)
        forked_run_leave(result);
    if (self->is_elsewhere)
        return;
    result->virtual_ns = self->shared.now_ns - self->shared.start_ns;
    for (uint32_t i = 0; i < self->shared.plan.room_count; i++)
        result->ticks += ledger_tick_count(&self->node.rooms[i].ledger);
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        result->orders += self->players[i].orders.landed;
    result->verdict = self->shared.verdict;
    if (self->is_probe || self->is_fork)
        forked_run_leave(self->is_probe ? NULL : result);
}

run_result run_seed(const run_config *config)
{
    int64_t blocks = failing_memory_blocks();
    struct run *self = ls_alloc(sizeof *self);
    set_up(self, config);
    run_safety(self);
    run_liveness(self);
    sum_up(self);
    tear_down(self);
    run_result result = self->result;
    ls_free(self);
    if (failing_memory_blocks() != blocks)
        verdict_fail(&result.verdict, SOUND, "%" PRId64 " pieces of memory were not given back",
                     failing_memory_blocks() - blocks);
    return result;
}
