/* The faults of a run, as its plan has them: run_internal.h. */
#include "failing_memory.h"
#include "forked_run.h"
#include "run_internal.h"

#include <inttypes.h>
#include <stdio.h>

static void send_noise(struct run *self)
{
    uint8_t bytes[LS_MTU_BYTES];
    static const uint32_t sizes[] = {LS_HELLO_BYTES, LS_AUTH_BYTES, 1, 40};
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t count = sizes[draws_range(&self->draws, 0, 3)];
        for (uint32_t k = 0; k < count; k++)
            bytes[k] = (uint8_t)draws_next(&self->draws);
        bytes[0] |= 0x40;
        ls_address from = LS_ADDRESS_IPV4(203, 0, 113, (uint8_t)draws_next(&self->draws), 258);
        ls_network_inject(self->shared.network, &from, bytes, count);
    }
}

static void strike_attack(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++)
        attacker_strike(&self->attackers[i]);
}

void run_begin_attack(struct run *self)
{
    struct run_shared *shared = &self->shared;
    if (!shared->plan.weights[FAULT_ATTACK])
        return;
    attacker_store_init(&self->attack, shared->plan.seed, shared->network, &shared->now_ns,
                        ls_program_fingerprint(shared->program));
    for (uint32_t i = 0; i < shared->plan.player_count; i++) {
        attacker_init(&self->attackers[i], &self->attack, draws_make(shared->plan.seed, 300 + i));
        self->players[i].link.attacker = &self->attackers[i];
    }
    strike_attack(self);
}

static void strike_player(struct run *self, enum fault which)
{
    struct run_shared *shared = &self->shared;
    uint64_t now_ns = shared->now_ns;
    struct player *player = &self->players[draws_next(&self->draws) % shared->plan.player_count];
    uint64_t until_ns = now_ns + draws_range(&self->draws, 100, 4000) * RUN_MS;
    ls_impairment_conditions line = plan_draw_line(&self->draws);
    uint64_t draw = draws_range(&self->draws, 0, 9);
    switch (which) {
    case FAULT_LINE:
        player_set_line(player, &line);
        break;
    case FAULT_NARROW:
        line = plan_narrow_line(&shared->plan);
        player_set_line(player, &line);
        break;
    case FAULT_CUT:
        /* Sometimes cut for longer than a session survives. */
        if (draw == 9)
            until_ns += 9 * LS_SECOND_NS;
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
        player->slow_until_ns = until_ns + 3 * LS_SECOND_NS;
        break;
    case FAULT_READER:
        player_read_slowly(player, (uint32_t)(draw < 5 ? 4 + 4 * draw : 20 * draw),
                           until_ns + 3 * LS_SECOND_NS);
        break;
    case FAULT_CLOCK:
        player_shift_clock(player);
        break;
    case FAULT_REPLAY:
        player->link.replay_percent = (uint32_t)draws_range(&self->draws, 0, 50);
        break;
    case FAULT_FLOOD:
        player->flood_until_ns = until_ns;
        break;
    default:
        self->is_match_paused = !self->is_match_paused;
        if (self->is_match_paused)
            self->pauser = player;
        if (!self->is_match_paused && draw < 5)
            player_kill(self->pauser, draw < 2);
        else if (player->client)
            (void)!ls_client_pause(player->client, self->is_match_paused);
        break;
    }
}

static void strike_server(struct run *self, enum fault which)
{
    struct server_node *node = &self->node;
    node_room *room = &node->rooms[draws_next(&self->draws) % self->shared.plan.room_count];
    struct disk *disk = &room->disk;
    if (which == FAULT_STALL)
        server_node_stall(node, self->shared.now_ns + 2 * LS_SECOND_NS);
    else if (which == FAULT_SERVER_CLOCK)
        server_node_shift_clock(node);
    else if (which == FAULT_BLOB_ROT)
        server_node_rot_snapshot(node, room);
    else if (which == FAULT_DISK_ROT)
        disk_rot(disk);
    else if (which == FAULT_POWER && draws_percent(&self->draws, 50))
        server_node_crash_after_sync(node);
    else if (which == FAULT_CRASH || which == FAULT_POWER)
        server_node_crash(node, which == FAULT_POWER);
    else if (which == FAULT_DISK_FULL)
        disk->is_full = true;
    else if (draws_percent(&self->draws, 50))
        disk->is_broken = true;
    else
        disk->is_deaf = self->power_follows = true;
}

/* True when a process ended as documented for lack of memory: with this exit code and exactly this
 * message. */
static bool is_documented(const forked_run_end *end)
{
    size_t bytes;
    int used = 0;
    return end->code == LS_MEMORY_EXIT_CODE &&
           sscanf(end->output, "lockstep: out of memory (%zu bytes)\n%n", &bytes, &used) == 1 &&
           used > 0 && end->output[used] == 0;
}

/* Tries the failing allocation in a fork, and checks that the process ends as documented. False
 * when the process makes no such allocation. */
static bool probe(struct run *self, uint32_t who, uint64_t count)
{
    forked_run_end *end = forked_run_begin(false);
    if (!end) {
        self->is_probe = true;
        self->shared.verdict.is_printing = false;
        failing_memory_arm(who, count, FAILING_MEMORY_EXITS);
        return false;
    }
    bool is_dead = end->code != TWIN_LEFT;
    if (is_dead && !is_documented(end))
        verdict_fail(&self->shared.verdict, SOUND,
                     "the allocation that failed ended the process with %d: %.200s", end->code,
                     end->output);
    ls_free(end);
    return is_dead;
}

/* Makes an allocation fail. The simulated process then never frees its memory, so this process
 * cannot continue: a fork continues the run, and this process adopts the fork's result. */
static void strike_memory(struct run *self, enum fault which)
{
    enum { STARVINGS_MAX = 3 };
    uint32_t who = which == FAULT_SERVER_MEMORY
                       ? STARVE_HOUSE
                       : (uint32_t)(draws_next(&self->draws) % self->shared.plan.player_count);
    uint64_t count = draws_range(&self->draws, 1, UINT64_C(1) << draws_range(&self->draws, 0, 10));
    if (self->shared.now_ns < self->memory_fails_until_ns || self->starvings == STARVINGS_MAX)
        return;
    self->starvings++;
    self->memory_fails_until_ns = self->shared.now_ns + 3 * LS_SECOND_NS;
    verdict_note(&self->shared.verdict, "allocation %" PRIu64 " of %u", count, who);
    if (!probe(self, who, count) || self->shared.verdict.broken)
        return;
    forked_run_end *end = forked_run_begin(true);
    if (!end) {
        self->is_fork = true;
        failing_memory_arm(who, count, FAILING_MEMORY_STOPS);
        return;
    }
    self->is_elsewhere = end->has_result;
    self->result = end->result;
    if (!end->has_result)
        verdict_fail(&self->shared.verdict, SOUND, "the process ended with %d", end->code);
    ls_free(end);
}

void run_failing_memory(struct run *self)
{
    bool is_over = self->shared.now_ns >= self->memory_fails_until_ns;
    if (self->is_probe && (is_over || self->shared.verdict.broken))
        forked_run_leave(NULL);
    if (is_over)
        failing_memory_disarm();
}

void run_strike(struct run *self)
{
    const struct plan *plan = &self->shared.plan;
    uint32_t sum = 0, which = 0;
    for (uint32_t i = 0; i < FAULT_COUNT; i++)
        sum += plan->weights[i];
    self->fault_ns = self->shared.now_ns + draws_range(&self->draws, 1, 2 * plan->fault_every_ns);
    if (!sum)
        return;
    uint64_t draw = draws_next(&self->draws) % sum;
    if (self->power_follows && draws_percent(&self->draws, 30)) {
        /* The crash that often follows a failing disk. */
        self->power_follows = false;
        server_node_crash(&self->node, true);
        return;
    }
    while (draw >= plan->weights[which])
        draw -= plan->weights[which++];
    verdict_note(&self->shared.verdict, "fault %s", fault_name((enum fault)which));
    self->result.faults[which]++;
    if (which == FAULT_NOISE)
        send_noise(self);
    else if (which == FAULT_ATTACK)
        strike_attack(self);
    else if (which == FAULT_MEMORY || which == FAULT_SERVER_MEMORY)
        strike_memory(self, (enum fault)which);
    else if (which >= FAULT_STALL && which <= FAULT_DISK_BROKEN)
        strike_server(self, (enum fault)which);
    else
        strike_player(self, (enum fault)which);
}
