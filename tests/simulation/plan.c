#include "plan.h"

#include "verdict.h"

#include <lockstep/limits.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

enum { SEATS_MAX = 8 };

const char *fault_name(enum fault which)
{
    static const char *const names[FAULT_COUNT] = {
        "line",   "cut",          "rebind",        "kill",        "pause",    "slow",
        "reader", "clock",        "memory",        "replay",      "flood",    "noise",
        "stall",  "server-clock", "server-memory", "blob-rot",    "disk-rot", "crash",
        "power",  "disk-full",    "disk-broken",   "match-pause", "attack",   "narrow"};
    return which < FAULT_COUNT ? names[which] : "none";
}

ls_impairment_conditions plan_calm_line(void)
{
    return (ls_impairment_conditions){.delay_ns = 15 * MS, .jitter_ns = 2 * MS};
}

ls_impairment_conditions plan_narrow_line(const struct plan *plan)
{
    return (ls_impairment_conditions){.delay_ns = plan->narrow_delay_ns, .rate = plan->narrow_rate};
}

ls_impairment_conditions plan_draw_line(struct draws *draws)
{
    switch (draws_range(draws, 0, 6)) {
    case 0: /* a local network */
        return (ls_impairment_conditions){.delay_ns = MS / 2};
    case 1: /* a wireless network */
        return (ls_impairment_conditions){.delay_ns = 10 * MS,
                                          .jitter_ns = 5 * MS,
                                          .loss = 20000,
                                          .reorder = 20000,
                                          .reorder_delay_ns = 30 * MS};
    case 2: /* a bad line */
        return (ls_impairment_conditions){
            .delay_ns = 50 * MS, .jitter_ns = 10 * MS, .loss = 50000, .duplicate = 20000};
    case 3: /* a terrible line */
        return (ls_impairment_conditions){.delay_ns = 100 * MS,
                                          .jitter_ns = 20 * MS,
                                          .loss = 200000,
                                          .reorder = 40000,
                                          .reorder_delay_ns = 50 * MS};
    case 4: /* a line that damages packets */
        return (ls_impairment_conditions){
            .delay_ns = 20 * MS, .corrupt = 50000, .truncate = 20000, .duplicate = 50000};
    case 5: /* a narrow line */
        return (ls_impairment_conditions){.delay_ns = 30 * MS,
                                          .jitter_ns = 5 * MS,
                                          .loss = 5000,
                                          .rate = draws_range(draws, 4, 40) * 1000};
    default: /* a clogged line */
        return (ls_impairment_conditions){.delay_ns = draws_range(draws, 100, 600) * MS,
                                          .jitter_ns = draws_range(draws, 0, 300) * MS,
                                          .reorder = 300000,
                                          .reorder_delay_ns = 40 * MS};
    }
}

static void draw_room(struct plan *plan, struct draws *draws, plan_room *room)
{
    static const uint32_t syncs[] = {0, 1, 10, 60};
    room->sync_ticks = syncs[draws_range(draws, 0, 3)];
    room->policy = draws_percent(draws, 20) ? LS_ROOM_WAIT : LS_ROOM_PACE;
    room->desync = (ls_desync_policy)draws_range(draws, 0, 2);
    room->ticks_max = draws_percent(draws, 15) ? plan->tick_rate * draws_range(draws, 4, 20) : 0;
}

static enum role draw_role(struct draws *draws, plan_sim sim)
{
    uint64_t draw = draws_range(draws, 0, 99);
    if (draw < 66)
        return ROLE_PLAYER;
    if (draw < 76)
        return ROLE_SPECTATOR;
    if (draw < 80)
        return ROLE_STRANGER;
    if (draw < 88)
        return ROLE_CORRUPT;
    if (draw < 92)
        return ROLE_LIAR;
    return sim == PLAN_HELD ? ROLE_CONTRARIAN : ROLE_PLAYER;
}

static void draw_player(struct plan *plan, struct draws *draws, plan_player *player)
{
    static const uint32_t sizes[] = {8, 40, 200, 250};
    static const uint32_t predicts[] = {0, 8, 20, LS_CLIENT_PREDICT_TICKS};
    player->role = draw_role(draws, plan->sim);
    player->room = (uint32_t)draws_range(draws, 0, plan->room_count - 1);
    player->joins_ns = draws_percent(draws, 70) ? draws_range(draws, 0, 500) * MS
                                                : draws_range(draws, 0, plan->safety_ns);
    player->order_percent = (uint32_t)draws_range(draws, 0, 100);
    player->order_bytes = sizes[draws_range(draws, 0, 3)];
    player->order_burst = draws_percent(draws, 20) ? (uint32_t)draws_range(draws, 2, 12) : 1;
    /* Many orders, but below the server's flood limit. */
    if (player->order_burst > LS_SERVER_INPUTS_PER_S / plan->tick_rate)
        player->order_burst = LS_SERVER_INPUTS_PER_S / plan->tick_rate;
    player->corrupt_at = draws_range(draws, 1, plan->tick_rate * 10);
    player->pick = draws_next(draws);
    player->line = plan_draw_line(draws);
    player->has_session = player->role < ROLE_STRANGER && draws_percent(draws, 50);
    player->predict_ticks = predicts[draws_range(draws, 0, 3)];
    player->picture_ns = draws_range(draws, 4, 34) * MS;
    bool plays = player->role == ROLE_PLAYER || player->role >= ROLE_CORRUPT;
    if (plays && plan->rooms[player->room].seats == SEATS_MAX)
        player->role = ROLE_SPECTATOR;
    else
        plan->rooms[player->room].seats += plays;
}

static void draw_faults(struct plan *plan, struct draws *draws, enum fault only)
{
    for (uint32_t i = 0; i < FAULT_ATTACK; i++) {
        /* Swarm testing: each seed has only some of the faults. Faults that end a server's life are
         * rare. */
        bool is_rare = i >= FAULT_STALL && i <= FAULT_DISK_BROKEN;
        plan->weights[i] = draws_percent(draws, 50) ? (is_rare ? 2 : 3) : 0;
        if (only < FAULT_COUNT)
            plan->weights[i] = i == only;
    }
    plan->fault_every_ns = draws_range(draws, 100, 2000) * MS;
    static const uint32_t jobs_ms[] = {0, 5, 80, 400};
    plan->job_ns = jobs_ms[draws_range(draws, 0, 3)] * MS;
    /* Jobs may be slow enough to lag, but must be fast enough to keep up with the ticks. */
    if (plan->job_ns > 4 * S / plan->tick_rate)
        plan->job_ns = 4 * S / plan->tick_rate;
    plan->short_percent = draws_percent(draws, 30) ? 20 : 0;
}

/* Draws the attackers from their own stream, so that the rest of the plan is the same with and
 * without them. */
static void draw_attack(struct plan *plan, enum fault only)
{
    struct draws draws = draws_make(plan->seed, 9);
    bool is_drawn = draws_percent(&draws, 30);
    plan->is_attacked_on = draws_percent(&draws, 50);
    plan->weights[FAULT_ATTACK] = only < FAULT_COUNT ? only == FAULT_ATTACK : is_drawn;
}

/* Draws the narrow line, also from a stream of its own. It has room for all clients at the highest
 * level of congestion. */
static void draw_narrow(struct plan *plan, enum fault only)
{
    enum { LEAST_KB = 10, LEAST_KB_EACH = 3, MOST_KB = 50 };
    struct draws draws = draws_make(plan->seed, 12);
    bool is_drawn = draws_percent(&draws, 30);
    uint32_t least = plan->player_count * LEAST_KB_EACH;
    least = least > LEAST_KB ? least : LEAST_KB;
    plan->narrow_rate = draws_range(&draws, least, MOST_KB) * 1000;
    plan->narrow_delay_ns = draws_range(&draws, 10, 60) * MS;
    plan->weights[FAULT_NARROW] = only < FAULT_COUNT ? only == FAULT_NARROW : is_drawn;
}

/* Draws which rooms keep the seats of players that lost their session, also from a stream of its
 * own. */
static void draw_kept_seats(struct plan *plan)
{
    struct draws draws = draws_make(plan->seed, 11);
    for (uint32_t i = 0; i < plan->room_count; i++) {
        uint32_t seconds = (uint32_t)draws_range(&draws, 1, 25);
        plan->rooms[i].keep_seats_s = draws_percent(&draws, 30) ? seconds : 0;
    }
}

/* In some seeds several worlds diverge at the same tick. */
static void draw_together(struct plan *plan)
{
    struct draws draws = draws_make(plan->seed, 6);
    uint64_t at = draws_range(&draws, 1, plan->tick_rate * 10);
    if (!draws_percent(&draws, 15))
        return;
    for (uint32_t i = 0; i < plan->player_count; i++) {
        plan_player *player = &plan->players[i];
        if (player->role == ROLE_PLAYER && draws_percent(&draws, 40))
            player->role = ROLE_CORRUPT;
        player->corrupt_at = at;
    }
}

struct plan plan_draw(uint64_t seed, enum fault only)
{
    static const uint32_t rates[] = {10, 20, 30, 60};
    struct draws draws = draws_make(seed, 1);
    struct plan plan = {.seed = seed, .is_clean = only == FAULT_CLEAN};
    plan.sim = draws_percent(&draws, 10) ? PLAN_SKIRMISH
                                         : (plan_sim)draws_range(&draws, PLAN_TALLY, PLAN_HELD);
    plan.tick_rate = rates[draws_range(&draws, 0, 3)];
    plan.room_count =
        draws_percent(&draws, 70) ? 1 : (uint32_t)draws_range(&draws, 2, PLAN_ROOMS_MAX);
    plan.player_count =
        (uint32_t)draws_range(&draws, 1, draws_percent(&draws, 30) ? PLAN_PLAYERS_MAX : 5);
    plan.grid_ns = draws_range(&draws, 1, 8) * MS / 4;
    plan.safety_ns = draws_range(&draws, 4, 16) * S;
    for (uint32_t i = 0; i < plan.room_count; i++)
        draw_room(&plan, &draws, &plan.rooms[i]);
    for (uint32_t i = 0; i < plan.player_count; i++)
        draw_player(&plan, &draws, &plan.players[i]);
    for (uint32_t i = 0; i < plan.room_count; i++) {
        plan_room *room = &plan.rooms[i];
        room->wait_players = room->seats ? 1 : 0;
        room->seats = room->seats ? room->seats : 1;
    }
    draw_faults(&plan, &draws, only);
    draw_attack(&plan, only);
    draw_narrow(&plan, only);
    draw_kept_seats(&plan);
    draw_together(&plan);
    for (uint32_t i = 0; plan.is_clean && i < plan.player_count; i++)
        if (plan.players[i].role >= ROLE_CORRUPT)
            plan.players[i].role = ROLE_PLAYER;
    return plan;
}
