#include "narrow_line.h"

#include <inttypes.h>

/* The mean of the sampled round trips may exceed the line's own delay by this time. A full queue of
 * the line would add 500 ms. */
#define WAIT_NS (300 * RUN_MS)

bool narrow_line_begin(struct run *self)
{
    struct run_shared *shared = &self->shared;
    bool is_attacked = shared->plan.is_attacked_on && shared->plan.weights[FAULT_ATTACK];
    if (!shared->plan.weights[FAULT_NARROW] || is_attacked || shared->verdict.broken)
        return false;
    ls_impairment_conditions line = plan_narrow_line(&shared->plan);
    verdict_note(&shared->verdict, "narrow rate=%" PRIu64, line.rate);
    self->narrow_ns = shared->now_ns;
    for (uint32_t i = 0; i < shared->plan.player_count; i++) {
        struct player *player = &self->players[i];
        narrow_watch *watch = &self->narrow[i];
        bool is_honest = player->plan->role <= ROLE_SPECTATOR && !player->was_wrong;
        player_set_line(player, &line);
        if (player->link.over.inner)
            ls_network_share(player->link.over.inner);
        watch->is_watched =
            player->client && is_honest && ls_client_get_state(player->client) == LS_CLIENT_PLAYING;
    }
    return true;
}

void narrow_line_settle(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        narrow_watch *watch = &self->narrow[i];
        if (!watch->is_watched || !self->players[i].client)
            continue;
        ls_client_stats stats = ls_client_get_stats(self->players[i].client);
        watch->resumes = stats.resumes;
        watch->loads = stats.snapshots_loaded;
    }
}

void narrow_line_sample(struct run *self)
{
    for (uint32_t i = 0; i < self->shared.plan.player_count; i++) {
        narrow_watch *watch = &self->narrow[i];
        if (!watch->is_watched || !self->players[i].client)
            continue;
        watch->rtt_sum_ns += ls_client_get_stats(self->players[i].client).rtt_ns;
        watch->samples++;
    }
}

void narrow_line_judge(struct run *self)
{
    struct run_shared *shared = &self->shared;
    uint64_t most_ns = 2 * plan_narrow_line(&shared->plan).delay_ns + WAIT_NS;
    for (uint32_t i = 0; i < shared->plan.player_count; i++) {
        const struct player *player = &self->players[i];
        const narrow_watch *watch = &self->narrow[i];
        bool is_over = self->node.rooms[player->plan->room].is_over;
        if (!watch->is_watched || is_over || player->is_done ||
            shared->desync_ns >= self->narrow_ns)
            continue;
        ls_client_stats stats = {0};
        if (player->client)
            stats = ls_client_get_stats(player->client);
        if (!player->client || ls_client_get_state(player->client) != LS_CLIENT_PLAYING ||
            stats.resumes != watch->resumes || stats.snapshots_loaded != watch->loads) {
            verdict_fail(&shared->verdict, CONVERGES, "%s has lost its session or world",
                         player->name);
            continue;
        }
        uint64_t mean_ns = watch->samples ? watch->rtt_sum_ns / watch->samples : 0;
        verdict_note(&shared->verdict, "%s rtt_ms=%" PRIu64 " congestion=%u", player->name,
                     mean_ns / RUN_MS, stats.congestion);
        if (mean_ns > most_ns)
            verdict_fail(&shared->verdict, CONVERGES,
                         "%s has a round trip of %" PRIu64 " ms at congestion %u on a line of "
                         "%" PRIu64 " bytes a second",
                         player->name, mean_ns / RUN_MS, stats.congestion,
                         plan_narrow_line(&shared->plan).rate);
    }
}
