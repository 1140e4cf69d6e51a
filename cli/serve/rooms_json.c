#include "cli/serve/rooms_json.h"

#include "cli/common/clock.h"
#include "core/base/json_writer.h"

#include <stdlib.h>
#include <string.h>

/* Milliseconds with three decimals. */
static void print_ms(ls_builder *text, const char *name, uint64_t ns)
{
    ls_json_decimal(text, name, ns / (LS_NS_PER_MS / 1000), 3);
}

static void print_inputs(ls_builder *text, const ls_room_stats *stats)
{
    ls_json_u64(text, "inputs_accepted", stats->inputs_accepted + stats->states_accepted);
    ls_json_u64(text, "inputs_late", stats->inputs_late + stats->states_late);
    ls_json_u64(text, "inputs_substituted", stats->states_substituted);
    ls_json_u64(text, "inputs_rejected",
                stats->inputs_refused + stats->inputs_limited + stats->states_refused);
}

static void print_room(ls_builder *text, const ls_metrics_room *room)
{
    const ls_room_stats *stats = &room->stats;
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", room->name);
    ls_json_string(text, "state", ls_metrics_state_name(ls_metrics_state_of(stats)));
    ls_json_u64(text, "tick", stats->tick);
    ls_json_u64(text, "simulated", stats->simulated);
    ls_json_u64(text, "players", stats->players);
    ls_json_u64(text, "sessions", stats->sessions);
    print_ms(text, "late_p50_ms", stats->late_p50_ns);
    print_ms(text, "late_p99_ms", stats->late_p99_ns);
    print_ms(text, "late_max_ms", stats->late_max_ns);
    print_ms(text, "behind_ms", stats->behind_ns);
    ls_json_u64(text, "ticks_skipped", stats->ticks_skipped);
    print_inputs(text, stats);
    ls_json_u64(text, "roots_checked", stats->roots_checked);
    ls_json_u64(text, "desyncs", stats->desyncs);
    ls_json_u64(text, "recording_bytes", stats->recording_bytes);
    ls_json_u64(text, "recording_unsynced_ticks", stats->recording_unsynced_ticks);
    ls_json_bool(text, "recording_failed", stats->recording_failed);
    ls_json_close(text, '}');
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const ls_metrics_room *)a)->name, ((const ls_metrics_room *)b)->name);
}

void ls_rooms_json_print(ls_builder *text, const ls_metrics *metrics)
{
    size_t bytes = metrics->room_count * sizeof(ls_metrics_room);
    ls_metrics_room *sorted = ls_alloc(bytes + 1);
    if (bytes)
        memcpy(sorted, metrics->list, bytes);
    qsort(sorted, metrics->room_count, sizeof *sorted, compare);
    ls_json_open(text, NULL, '{');
    ls_json_open(text, "rooms", '[');
    for (uint32_t i = 0; i < metrics->room_count; i++) {
        ls_json_line(text, 1);
        print_room(text, &sorted[i]);
    }
    ls_json_close_lines(text, 0, ']');
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
    ls_free(sorted);
}

bool ls_rooms_json_print_one(ls_builder *text, const ls_metrics *metrics, const char *name)
{
    for (uint32_t i = 0; i < metrics->room_count; i++) {
        if (strcmp(metrics->list[i].name, name) != 0)
            continue;
        print_room(text, &metrics->list[i]);
        ls_builder_add(text, "\n");
        return true;
    }
    return false;
}
