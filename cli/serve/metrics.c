#include "cli/serve/metrics.h"

#include "core/base/grow.h"
#include "server/room_state.h"
#include "server/room_table.h"

#include <stddef.h>
#include <string.h>

/* The counters of a room that never fall. */
static const size_t counters[] = {
    offsetof(ls_room_stats, ticks_skipped),
    offsetof(ls_room_stats, ticks_held),
    offsetof(ls_room_stats, joins),
    offsetof(ls_room_stats, leaves),
    offsetof(ls_room_stats, seats_kept),
    offsetof(ls_room_stats, timeouts),
    offsetof(ls_room_stats, kicks),
    offsetof(ls_room_stats, clients_failed),
    offsetof(ls_room_stats, desyncs),
    offsetof(ls_room_stats, resyncs),
    offsetof(ls_room_stats, found_inputs),
    offsetof(ls_room_stats, found_builds),
    offsetof(ls_room_stats, found_states),
    offsetof(ls_room_stats, desyncs_unexplained),
    offsetof(ls_room_stats, roots_checked),
    offsetof(ls_room_stats, roots_missed),
    offsetof(ls_room_stats, inputs_accepted),
    offsetof(ls_room_stats, inputs_late),
    offsetof(ls_room_stats, inputs_refused),
    offsetof(ls_room_stats, inputs_limited),
    offsetof(ls_room_stats, states_accepted),
    offsetof(ls_room_stats, states_late),
    offsetof(ls_room_stats, states_refused),
    offsetof(ls_room_stats, states_substituted),
    offsetof(ls_room_stats, frame_bytes),
    offsetof(ls_room_stats, gaps_answered),
    offsetof(ls_room_stats, snapshots_encoded),
    offsetof(ls_room_stats, snapshot_bytes_sent),
    offsetof(ls_room_stats, ranges_limited),
    offsetof(ls_room_stats, restored_ticks),
};

void ls_metrics_add_times(ls_metrics_times *times, const ls_histogram *histogram)
{
    for (uint32_t i = 0; i < LS_METRICS_BUCKETS; i++)
        times->below[i] += ls_histogram_below(histogram, LS_METRICS_DOUBLINGS + i);
    times->count += histogram->count;
    times->sum_ns += histogram->sum_ns;
}

void ls_metrics_add_room(ls_metrics_sum *sum, const ls_room *room, const ls_room_stats *stats)
{
    for (size_t i = 0; i < LS_COUNT_OF(counters); i++) {
        uint64_t total, own;
        memcpy(&total, (const uint8_t *)&sum->stats + counters[i], sizeof total);
        memcpy(&own, (const uint8_t *)stats + counters[i], sizeof own);
        total += own;
        memcpy((uint8_t *)&sum->stats + counters[i], &total, sizeof total);
    }
    ls_metrics_add_times(&sum->lateness, &room->late);
    ls_metrics_add_times(&sum->durations, &room->took);
    ls_metrics_add_times(&sum->syncs, &room->recording.syncs);
    const ls_client_times *clients = &room->clients;
    ls_metrics_add_times(&sum->round_trip, &clients->round_trip);
    ls_metrics_add_times(&sum->input_delay, &clients->input_delay);
    ls_metrics_add_times(&sum->rollback, &clients->rollback);
    for (uint32_t i = 0; i < LS_CLIENT_LOSSES; i++)
        sum->loss.buckets[i] += clients->loss.buckets[i];
    sum->loss.sum_permille += clients->loss.sum_permille;
    sum->recording_failures += room->recording.failures;
    sum->recording_written_bytes += ls_room_recording_written_bytes(&room->recording);
}

ls_metrics_state ls_metrics_state_of(const ls_room_stats *stats)
{
    if (stats->is_lost || stats->state >= LS_ROOM_ENDING)
        return LS_METRICS_ENDING;
    if (stats->is_paused)
        return LS_METRICS_PAUSED;
    return (ls_metrics_state)stats->state;
}

const char *ls_metrics_state_name(ls_metrics_state state)
{
    static const char *const names[] = {"restoring", "waiting", "running", "paused", "ending"};
    return names[state];
}

static void take_room(ls_metrics *metrics, const ls_room *room)
{
    metrics->list =
        ls_grow(metrics->list, metrics->room_count, &metrics->room_capacity, sizeof *metrics->list);
    ls_metrics_room *taken = &metrics->list[metrics->room_count++];
    memset(taken->name, 0, sizeof taken->name);
    memcpy(taken->name, ls_room_name(room), strlen(ls_room_name(room)));
    taken->seats = room->match.config.player_count;
    taken->requires_token = room->requires_token;
    taken->stats = ls_room_get_stats(room);
    const ls_histogram *took = &room->took;
    taken->tick_p50_ns = ls_histogram_permille(took, 500);
    taken->tick_p99_ns = ls_histogram_permille(took, 990);
    taken->tick_max_ns = took->max_ns;
    ls_room_stats *all = &metrics->rooms.stats;
    ls_metrics_add_room(&metrics->rooms, room, &taken->stats);
    metrics->states[ls_metrics_state_of(&taken->stats)]++;
    metrics->recordings_failed += room->recording.phase == LS_ROOM_RECORDING_FAILED;
    all->recording_bytes += taken->stats.recording_bytes;
    if (taken->stats.behind_ns > all->behind_ns)
        all->behind_ns = taken->stats.behind_ns;
    if (taken->stats.recording_unsynced_ticks > all->recording_unsynced_ticks)
        all->recording_unsynced_ticks = taken->stats.recording_unsynced_ticks;
}

static void count_peers(ls_metrics *metrics, const ls_server *server, uint32_t peers_max)
{
    ls_server_peer_info info;
    memset(metrics->kinds, 0, sizeof metrics->kinds);
    for (uint32_t slot = 0; slot < peers_max; slot++)
        if (ls_server_peer(server, slot, &info))
            metrics->kinds[info.player == LS_HANDSHAKE_PLAYER_NONE ? LS_METRICS_SPECTATOR
                           : info.is_bot                           ? LS_METRICS_BOT
                                                                   : LS_METRICS_PLAYER]++;
}

void ls_metrics_take(ls_metrics *metrics, const ls_metrics_source *source, uint64_t now_ns)
{
    const ls_server *server = source->server;
    metrics->taken_ns = now_ns;
    metrics->is_draining = server->is_draining;
    metrics->is_awaiting = server->is_awaiting;
    metrics->server = ls_server_get_stats(server);
    memcpy(metrics->handshakes_refused, server->handshakes_refused,
           sizeof metrics->handshakes_refused);
    metrics->link = ls_link_get_stats(source->link);
    if (source->web)
        ls_link_web_counts(source->web, metrics->web);
    metrics->is_stalled = ls_room_table_is_stalled(server);
    metrics->rooms = source->closed;
    metrics->room_count = 0;
    metrics->recordings_failed = 0;
    memset(metrics->states, 0, sizeof metrics->states);
    const ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(server, i)) != NULL; i++)
        take_room(metrics, room);
    count_peers(metrics, server, source->peers_max);
    metrics->steps = (ls_metrics_times){0};
    ls_metrics_add_times(&metrics->steps, &source->steps);
    metrics->hook_failures = ls_finished_hook_failures(source->hook);
    metrics->retention_failures = ls_retention_failures(source->retention);
    metrics->broadcast_failures = ls_broadcast_failures(source->broadcast);
    metrics->log_lines_lost = ls_log_lines_lost(source->log);
    metrics->jobs = ls_job_pool_get_load(source->pool);
    metrics->disk_jobs = ls_job_pool_get_load(source->disk_pool);
}

void ls_metrics_reset(ls_metrics *metrics)
{
    ls_free(metrics->list);
    *metrics = (ls_metrics){0};
}
