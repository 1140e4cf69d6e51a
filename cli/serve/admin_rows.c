#include "cli/serve/admin_rows.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "core/base/platform_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row while it is made: the head "NAME:TYPE" and the value of each column, in two texts. */
struct row {
    ls_builder head, cells;
};

static void add(struct row *row, const char *column, const char *cell)
{
    const char *tab = row->head.count ? "\t" : "";
    ls_builder_add(&row->head, "%s%s", tab, column);
    ls_builder_add(&row->cells, "%s", tab);
    ls_admin_table_put(&row->cells, cell);
}

static void add_number(struct row *row, const char *column, uint64_t number)
{
    char cell[24];
    snprintf(cell, sizeof cell, "%" PRIu64, number);
    add(row, column, cell);
}

static void add_ms(struct row *row, const char *column, uint64_t ns)
{
    char cell[32];
    uint64_t us = ns / (LS_NS_PER_MS / 1000);
    snprintf(cell, sizeof cell, "%" PRIu64 ".%03u", us / 1000, (unsigned)(us % 1000));
    add(row, column, cell);
}

static void add_bool(struct row *row, const char *column, bool value)
{
    add(row, column, value ? "yes" : "no");
}

/* Adds the row to the table, before its first row the head. */
static void end_row(struct row *row, ls_builder *text)
{
    if (!text->count)
        ls_builder_add(text, "%s\n", row->head.data);
    ls_builder_add(text, "%s\n", row->cells.data);
    ls_free(row->head.data);
    ls_free(row->cells.data);
}

void ls_admin_rows_server(ls_builder *text, const ls_admin_task *task, const char *sim,
                          uint64_t start_unix_s)
{
    struct row row = {0};
    const ls_metrics *metrics = &task->metrics;
    const ls_server_stats *stats = &metrics->server;
    uint64_t now_s = ls_clock_unix_s();
    add(&row, "version:s", LS_BUILD_VERSION);
    add(&row, "sim:s", sim);
    add_number(&row, "process:n", ls_process_id());
    add_number(&row, "uptime_s:n", now_s > start_unix_s ? now_s - start_unix_s : 0);
    add_ms(&row, "cpu_ms:n", ls_clock_cpu_ns());
    add_bool(&row, "draining:b", metrics->is_draining);
    add_bool(&row, "stalled:b", metrics->is_stalled);
    add_number(&row, "rooms:n", metrics->room_count);
    add_number(&row, "running:n", metrics->states[LS_METRICS_RUNNING]);
    add_number(&row, "players:n", metrics->kinds[LS_METRICS_PLAYER]);
    add_number(&row, "bots:n", metrics->kinds[LS_METRICS_BOT]);
    add_number(&row, "spectators:n", metrics->kinds[LS_METRICS_SPECTATOR]);
    add_number(&row, "bytes_received:n", stats->bytes_received);
    add_number(&row, "bytes_sent:n", stats->bytes_sent);
    add_number(&row, "packets_received:n", stats->packets_received);
    add_number(&row, "packets_sent:n", stats->packets_sent);
    add_number(&row, "packets_dropped:n", stats->packets_dropped);
    add_ms(&row, "lag_ms:n", stats->lag_ns);
    add_ms(&row, "behind_ms:n", metrics->rooms.stats.behind_ns);
    add_number(&row, "joins:n", metrics->rooms.stats.joins);
    add_number(&row, "leaves:n", metrics->rooms.stats.leaves);
    add_number(&row, "desyncs:n", metrics->rooms.stats.desyncs);
    add_number(&row, "rooms_failed:n", stats->rooms_failed);
    add(&row, "handover:s", task->handover.state);
    add(&row, "handover_reason:s", task->handover.reason);
    add_number(&row, "handed_over:n", task->handover.moved);
    end_row(&row, text);
}

static void add_timing(struct row *row, const ls_metrics_room *room)
{
    const ls_room_stats *stats = &room->stats;
    add_ms(row, "tick_p50_ms:n", room->tick_p50_ns);
    add_ms(row, "tick_p99_ms:n", room->tick_p99_ns);
    add_ms(row, "tick_max_ms:n", room->tick_max_ns);
    add_ms(row, "late_p99_ms:n", stats->late_p99_ns);
    add_ms(row, "late_max_ms:n", stats->late_max_ns);
    add_ms(row, "behind_ms:n", stats->behind_ns);
}

static void add_room(struct row *row, const ls_metrics_room *room)
{
    const ls_room_stats *stats = &room->stats;
    add(row, "room:s", room->name);
    add(row, "state:s", ls_metrics_state_name(ls_metrics_state_of(stats)));
    add_number(row, "tick:n", stats->tick);
    add_number(row, "players:n", stats->players);
    add_number(row, "sessions:n", stats->sessions);
    add_timing(row, room);
    add_number(row, "desyncs:n", stats->desyncs);
    add_number(row, "recording_bytes:n", stats->recording_bytes);
}

static int compare(const void *a, const void *b)
{
    return strcmp((*(const ls_metrics_room *const *)a)->name,
                  (*(const ls_metrics_room *const *)b)->name);
}

/* Cuts the row that only gave the head: a table without rows has the columns of one with rows. */
static void cut_rows(ls_builder *text)
{
    const char *end = strchr(text->data, '\n');
    ls_builder_cut(text, text->count - (size_t)(end + 1 - text->data));
}

void ls_admin_rows_rooms(ls_builder *text, const ls_metrics *metrics)
{
    static const ls_metrics_room nothing;
    uint32_t count = metrics->room_count;
    const ls_metrics_room **sorted = ls_alloc((count + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &metrics->list[i];
    qsort(sorted, count, sizeof *sorted, compare);
    sorted[count] = &nothing;
    for (uint32_t i = 0; i < count || i == 0; i++) {
        struct row row = {0};
        add_room(&row, sorted[i]);
        end_row(&row, text);
    }
    if (!count)
        cut_rows(text);
    ls_free(sorted);
}

static void add_counters(struct row *row, const ls_room_stats *stats)
{
    add_number(row, "simulated:n", stats->simulated);
    add_number(row, "ticks_skipped:n", stats->ticks_skipped);
    add_number(row, "ticks_held:n", stats->ticks_held);
    add_number(row, "joins:n", stats->joins);
    add_number(row, "leaves:n", stats->leaves);
    add_number(row, "kicks:n", stats->kicks);
    add_number(row, "timeouts:n", stats->timeouts);
    add_number(row, "inputs_accepted:n", stats->inputs_accepted + stats->states_accepted);
    add_number(row, "inputs_late:n", stats->inputs_late + stats->states_late);
    add_number(row, "inputs_substituted:n", stats->states_substituted);
    add_number(row, "inputs_rejected:n",
               stats->inputs_refused + stats->inputs_limited + stats->states_refused);
    add_number(row, "roots_checked:n", stats->roots_checked);
    add_number(row, "resyncs:n", stats->resyncs);
    add_number(row, "snapshots:n", stats->snapshots_encoded);
    add_number(row, "snapshot_bytes:n", stats->snapshot_bytes_sent);
    add_number(row, "recording_unsynced_ticks:n", stats->recording_unsynced_ticks);
    add_bool(row, "recording_failed:b", stats->recording_failed);
}

void ls_admin_rows_room(ls_builder *text, const ls_metrics *metrics, const char *name)
{
    for (uint32_t i = 0; i < metrics->room_count; i++) {
        const ls_metrics_room *room = &metrics->list[i];
        if (strcmp(room->name, name) != 0)
            continue;
        struct row row = {0};
        add_room(&row, room);
        add_counters(&row, &room->stats);
        end_row(&row, text);
        return;
    }
}

static void add_player(ls_builder *text, const ls_roster_entry *entry)
{
    char seat[16] = "-";
    if (entry->seat >= 0)
        snprintf(seat, sizeof seat, "%d", entry->seat);
    struct row row = {0};
    add_number(&row, "peer:n", ls_peer_slot(entry->peer));
    add(&row, "room:s", entry->room);
    add(&row, "player:s", seat);
    add(&row, "kind:s",
        entry->seat < 0   ? "spectator"
        : entry->is_light ? "light"
        : entry->is_bot   ? "bot"
                          : "player");
    add(&row, "name:s", entry->name);
    add(&row, "client:s", entry->client);
    add(&row, "address:s", entry->address);
    add_bool(&row, "playing:b", entry->is_playing);
    add_number(&row, "ticks_behind:n", entry->ticks_behind);
    add_bool(&row, "diverged:b", entry->has_diverged);
    add_number(&row, "connected_s:n", entry->age_ns / LS_SECOND_NS);
    end_row(&row, text);
}

void ls_admin_rows_players(ls_builder *text, const ls_admin_task *task)
{
    static const ls_roster_entry nothing;
    for (uint32_t i = 0; i < task->roster_count; i++)
        if (!task->room || strcmp(task->roster[i].room, task->room) == 0)
            add_player(text, &task->roster[i]);
    if (text->count)
        return;
    add_player(text, &nothing);
    cut_rows(text);
}

void ls_admin_rows_checkpoint(ls_builder *text, const ls_admin_task *task)
{
    struct row row = {0};
    add(&row, "room:s", task->name);
    add(&row, "recording:s", task->checkpoint.file);
    add_number(&row, "tick:n", task->checkpoint.tick);
    add_number(&row, "bytes:n", task->checkpoint.bytes);
    end_row(&row, text);
}

void ls_admin_rows_reload(ls_builder *text, const ls_rights_reload *reload)
{
    struct row row = {0};
    add_number(&row, "token_keys:n", reload->token_keys);
    add_number(&row, "bans:n", reload->bans);
    add(&row, "changed:s", reload->changed[0] ? reload->changed : "-");
    add(&row, "needs_restart:s", reload->waiting[0] ? reload->waiting : "-");
    end_row(&row, text);
}

void ls_admin_rows_ban(ls_builder *text, const ls_ban *ban, const ls_admin_task *task,
                       const char *unkept)
{
    struct row row = {0};
    char address[LS_BAN_TEXT_BYTES];
    ls_ban_format(ban, address);
    add(&row, "ban:s", address);
    add_bool(&row, "in_effect:b", task->verb == LS_ADMIN_BAN);
    add_number(&row, "sessions_ended:n", task->kicked);
    add_bool(&row, "kept:b", !*unkept);
    add(&row, "reason:s", *unkept ? unkept : "-");
    end_row(&row, text);
}

void ls_admin_rows_bans(ls_builder *text, const ls_bans *bans)
{
    ls_builder_add(text, "ban:s\n");
    for (uint32_t i = 0; i < bans->count; i++) {
        char ban[LS_BAN_TEXT_BYTES];
        ls_ban_format(&bans->list[i], ban);
        ls_admin_table_put(text, ban);
        ls_builder_add(text, "\n");
    }
}
