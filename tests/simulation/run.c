#include "run.h"

#include "held_sim.h"
#include "house.h"
#include "tally_sim.h"
#include "watch.h"

#include "sims/builtin.h"

#include <inttypes.h>
#include <string.h>

#define CONVERGE_NS (60 * STAGE_S)
#define LAND_NS     (30 * STAGE_S)
#define END_NS      (20 * STAGE_S)

struct run {
    struct stage stage;
    struct house house;
    struct player players[PLAN_PLAYERS_MAX];
    struct dice dice;
    uint64_t fault_ns;
    bool is_match_paused, power_follows;
    run_result result;
};

static void fill_secrets(void *context, void *bytes, size_t count)
{
    struct stage *stage = context;
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)(dice_draw(&stage->secrets) >> 32);
}

static const ls_sim *sim_of(plan_sim which)
{
    return which == PLAN_TALLY  ? &tally_sim
           : which == PLAN_HELD ? &held_sim
                                : ls_sim_builtin("skirmish");
}

static void set_up(struct run *self, const run_config *config)
{
    struct stage *stage = &self->stage;
    ls_error error = {""};
    stage->plan = plan_draw(config->seed, config->only);
    stage->now_ns = stage->start_ns = STAGE_S;
    stage->verdict.now_ns = stage->now_ns;
    stage->verdict.is_printing = config->is_printing;
    stage->secrets = dice_make(config->seed, 4);
    stage->entropy = (ls_entropy){fill_secrets, stage};
    ls_network_conditions line = plan_calm_line();
    stage->network = ls_network_create(config->seed, &line);
    ls_identity_init(&stage->identity, &stage->entropy);
    LS_ASSERT(ls_program_create(sim_of(stage->plan.sim), &stage->program, &error) == LS_OK);
    LS_ASSERT(ls_program_create(&tally_other_sim, &stage->other_program, &error) == LS_OK);
    self->dice = dice_make(config->seed, 5);
    house_init(&self->house, stage, self->players);
    for (uint32_t i = 0; i < stage->plan.player_count; i++)
        player_init(&self->players[i], stage, i,
                    &self->house.rooms[stage->plan.players[i].room].ledger);
}

static void tear_down(struct run *self)
{
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++)
        player_reset(&self->players[i]);
    house_reset(&self->house);
    ls_network_destroy(self->stage.network);
    ls_program_destroy(self->stage.program);
    ls_program_destroy(self->stage.other_program);
    ls_identity_reset(&self->stage.identity);
}

static void send_noise(struct run *self)
{
    uint8_t bytes[LS_MTU_BYTES];
    static const uint32_t sizes[] = {LS_HELLO_BYTES, LS_AUTH_BYTES, 1, 40};
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t count = sizes[dice_range(&self->dice, 0, 3)];
        for (uint32_t k = 0; k < count; k++)
            bytes[k] = (uint8_t)dice_draw(&self->dice);
        bytes[0] |= 0x40;
        ls_address from = {.host = {203, 0, 113, (uint8_t)dice_draw(&self->dice)}, .port = {1, 2}};
        ls_network_inject(self->stage.network, &from, bytes, count);
    }
}

static void strike_player(struct run *self, enum fault which)
{
    struct stage *stage = &self->stage;
    uint64_t now_ns = stage->now_ns;
    struct player *player = &self->players[dice_draw(&self->dice) % stage->plan.player_count];
    uint64_t until_ns = now_ns + dice_range(&self->dice, 100, 4000) * STAGE_MS;
    ls_network_conditions line = plan_draw_line(&self->dice);
    uint64_t draw = dice_range(&self->dice, 0, 9);
    switch (which) {
    case FAULT_LINE:
        player_set_line(player, &line);
        break;
    case FAULT_CUT:
        /* Now and then longer than a session lives. */
        if (draw == 9)
            until_ns += 9 * STAGE_S;
        player_cut(player, draw<7, draw> 2, until_ns);
        break;
    case FAULT_REBIND:
        player_rebind(player);
        break;
    case FAULT_KILL:
        player_kill(player, draw < 8);
        break;
    case FAULT_PAUSE:
        player->is_disturbed = true;
        player->slow_until_ns = player->wish_ns = until_ns;
        break;
    case FAULT_SLOW:
        player->is_disturbed = true;
        player->slow_until_ns = until_ns + 3 * STAGE_S;
        break;
    case FAULT_REPLAY:
        player->wire.replay_percent = (uint32_t)dice_range(&self->dice, 0, 50);
        break;
    case FAULT_FLOOD:
        player->flood_until_ns = until_ns;
        break;
    default:
        self->is_match_paused = !self->is_match_paused;
        if (player->client)
            (void)!ls_client_pause(player->client, self->is_match_paused);
        break;
    }
}

static void strike_house(struct run *self, enum fault which)
{
    struct house *house = &self->house;
    struct disk *disk = &house->rooms[dice_draw(&self->dice) % self->stage.plan.room_count].disk;
    if (which == FAULT_STALL)
        house_stall(house, self->stage.now_ns + 2 * STAGE_S);
    else if (which == FAULT_POWER && dice_percent(&self->dice, 50))
        house_crash_after_sync(house);
    else if (which == FAULT_CRASH || which == FAULT_POWER)
        house_crash(house, which == FAULT_POWER);
    else if (which == FAULT_DISK_FULL)
        disk->is_full = true;
    else if (dice_percent(&self->dice, 50))
        disk->is_broken = true;
    else
        disk->is_deaf = self->power_follows = true;
}

static void strike(struct run *self)
{
    const struct plan *plan = &self->stage.plan;
    uint32_t sum = 0, which = 0;
    for (uint32_t i = 0; i < FAULT_COUNT; i++)
        sum += plan->weights[i];
    self->fault_ns = self->stage.now_ns + dice_range(&self->dice, 1, 2 * plan->fault_every_ns);
    if (!sum)
        return;
    uint64_t draw = dice_draw(&self->dice) % sum;
    if (self->power_follows && dice_percent(&self->dice, 30)) {
        /* A disk that fails is often the beginning of the end. */
        self->power_follows = false;
        house_crash(&self->house, true);
        return;
    }
    while (draw >= plan->weights[which])
        draw -= plan->weights[which++];
    verdict_note(&self->stage.verdict, "fault %s", fault_name((enum fault)which));
    self->result.faults[which]++;
    if (which == FAULT_NOISE)
        send_noise(self);
    else if (which >= FAULT_STALL && which <= FAULT_DISK_BROKEN)
        strike_house(self, (enum fault)which);
    else
        strike_player(self, (enum fault)which);
}

/* Everybody who has something to do does it, then time moves on. */
static void step(struct run *self)
{
    struct stage *stage = &self->stage;
    house_step(&self->house);
    uint64_t next = house_next_ns(&self->house);
    for (uint32_t i = 0; i < stage->plan.player_count; i++) {
        player_step(&self->players[i]);
        uint64_t wish = player_next_ns(&self->players[i]);
        next = wish < next ? wish : next;
    }
    uint64_t arrival = ls_network_next_ns(stage->network);
    next = arrival < next ? arrival : next;
    next = next < stage->now_ns + 50 * STAGE_MS ? next : stage->now_ns + 50 * STAGE_MS;
    uint64_t steps = next > stage->now_ns
                         ? (next - stage->now_ns + stage->plan.grid_ns - 1) / stage->plan.grid_ns
                         : 1;
    stage->now_ns += steps * stage->plan.grid_ns;
    stage->verdict.now_ns = stage->now_ns;
}

static bool is_broken(const struct run *self)
{
    return self->stage.verdict.broken != HOLDS;
}

static void run_safety(struct run *self)
{
    struct stage *stage = &self->stage;
    uint64_t until_ns = stage->start_ns + stage->plan.safety_ns;
    self->fault_ns = stage->now_ns + dice_range(&self->dice, 1, 2 * stage->plan.fault_every_ns);
    while (stage->now_ns < until_ns && !is_broken(self)) {
        step(self);
        if (stage->now_ns >= self->fault_ns)
            strike(self);
    }
}

/* It has players who may come. */
static bool is_wanted(const struct run *self, uint32_t room)
{
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        if (player->plan->room == room && !player->is_done &&
            player->plan->role != ROLE_SPECTATOR && player->plan->role != ROLE_STRANGER)
            return true;
    }
    return false;
}

static bool is_together(const struct run *self)
{
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        const house_room *room = &self->house.rooms[player->plan->room];
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
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        bool is_over = self->house.rooms[player->plan->room].is_over;
        if (!is_over && !player->is_done && !player->is_excused && orders_missing(&player->orders))
            return false;
    }
    return true;
}

static bool has_ended(const struct run *self)
{
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++)
        if (self->players[i].client && !self->players[i].is_done)
            return false;
    return house_is_done(&self->house);
}

/* Runs until it is so; false when it takes too long. */
static bool run_until(struct run *self, bool (*is_so)(const struct run *self), uint64_t patience_ns)
{
    uint64_t until_ns = self->stage.now_ns + patience_ns;
    while (!is_so(self) && !is_broken(self)) {
        if (self->stage.now_ns >= until_ns)
            return false;
        step(self);
    }
    return true;
}

static void tell_who_is_missing(struct run *self)
{
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        const house_room *room = &self->house.rooms[player->plan->room];
        uint64_t tick = ledger_tick_count(&room->ledger);
        watch_describe(&self->house, room);
        ls_client_stats stats = {0};
        if (player->client)
            stats = ls_client_get_stats(player->client);
        if (!room->is_over && !player_is_there(player, tick))
            verdict_fail(&self->stage.verdict, CONVERGES,
                         "%s is %s at tick %" PRIu64 " of %" PRIu64 ", %s", player->name,
                         player->client ? ls_client_state_name(ls_client_get_state(player->client))
                                        : "away",
                         stats.tick, tick, stats.is_playing ? "playing" : "not playing");
    }
    verdict_fail(&self->stage.verdict, CONVERGES, "the rooms do not run");
}

static void tell_what_is_missing(struct run *self)
{
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++) {
        const struct player *player = &self->players[i];
        if (!player->is_excused && !player->is_done && orders_missing(&player->orders))
            verdict_fail(&self->stage.verdict, INPUT_ONCE, "%s: %u of %u orders never landed",
                         player->name, orders_missing(&player->orders), player->orders.count);
    }
}

static void run_liveness(struct run *self)
{
    struct stage *stage = &self->stage;
    if (is_broken(self))
        return;
    stage->is_calm = true;
    verdict_note(&stage->verdict, "calm");
    house_calm(&self->house);
    for (uint32_t i = 0; i < stage->plan.player_count; i++)
        player_calm(&self->players[i]);
    if (!run_until(self, is_together, CONVERGE_NS))
        tell_who_is_missing(self);
    stage->is_quiet = true;
    verdict_note(&stage->verdict, "quiet");
    if (!run_until(self, has_landed, LAND_NS))
        tell_what_is_missing(self);
    stage->is_ending = true;
    house_drain(&self->house);
    verdict_note(&stage->verdict, "drain");
    for (uint32_t i = 0; i < stage->plan.player_count; i++)
        if (!self->players[i].client)
            self->players[i].is_done = true;
    if (!run_until(self, has_ended, END_NS))
        verdict_fail(&stage->verdict, CONVERGES, "the matches do not end");
    house_check_recordings(&self->house);
}

run_result run_seed(const run_config *config)
{
    struct run *self = ls_alloc(sizeof *self);
    set_up(self, config);
    run_safety(self);
    run_liveness(self);
    self->result.virtual_ns = self->stage.now_ns - self->stage.start_ns;
    for (uint32_t i = 0; i < self->stage.plan.room_count; i++)
        self->result.ticks += ledger_tick_count(&self->house.rooms[i].ledger);
    for (uint32_t i = 0; i < self->stage.plan.player_count; i++)
        self->result.orders += self->players[i].orders.landed;
    tear_down(self);
    self->result.verdict = self->stage.verdict;
    run_result result = self->result;
    ls_free(self);
    return result;
}
