#include "cli/serve/metrics_text.h"

#include "core/base/histogram.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum unit { COUNT = 0, COUNT_32, SECONDS };

/* One sample. Without a name it belongs to the metric of the row above. */
struct row {
    const char *name, *help, *labels;
    size_t offset;
    enum unit unit;
};

#define ROOM(member)   offsetof(ls_metrics, rooms.stats.member)
#define SERVER(member) offsetof(ls_metrics, server.member)
#define LINK(member)   offsetof(ls_metrics, link.member)
#define WEB(counter)   offsetof(ls_metrics, web[counter])
#define REFUSED(why)   offsetof(ls_metrics, handshakes_refused[why])

static const struct row rows[] = {
    {"lockstep_rooms", "Open rooms.", "{state=\"restoring\"}",
     offsetof(ls_metrics, states[LS_METRICS_RESTORING])},
    {0, 0, "{state=\"waiting\"}", offsetof(ls_metrics, states[LS_METRICS_WAITING])},
    {0, 0, "{state=\"running\"}", offsetof(ls_metrics, states[LS_METRICS_RUNNING])},
    {0, 0, "{state=\"paused\"}", offsetof(ls_metrics, states[LS_METRICS_PAUSED])},
    {0, 0, "{state=\"ending\"}", offsetof(ls_metrics, states[LS_METRICS_ENDING])},
    {"lockstep_rooms_opened_total", "Rooms opened.", "", SERVER(rooms_opened)},
    {"lockstep_rooms_failed_total", "Rooms closed because their match failed.", "",
     SERVER(rooms_failed)},
    {"lockstep_sessions", "Sessions now, by kind.", "{kind=\"player\"}",
     offsetof(ls_metrics, kinds[LS_METRICS_PLAYER])},
    {0, 0, "{kind=\"bot\"}", offsetof(ls_metrics, kinds[LS_METRICS_BOT])},
    {0, 0, "{kind=\"spectator\"}", offsetof(ls_metrics, kinds[LS_METRICS_SPECTATOR])},
    {"lockstep_light_sessions", "Sessions now that do not simulate.", "", SERVER(light), COUNT_32},
    {"lockstep_joins_total", "Players that joined a match.", "", ROOM(joins)},
    {"lockstep_leaves_total", "Players that left a match.", "", ROOM(leaves)},
    {"lockstep_seats_kept_total", "Players that returned in time, without a leave and a join.", "",
     ROOM(seats_kept)},
    {"lockstep_sessions_moved_total", "Sessions that moved to another address.", "",
     SERVER(sessions_moved)},
    {"lockstep_sessions_ended_total", "Sessions that did not end by themselves.",
     "{reason=\"silent\"}", ROOM(timeouts)},
    {0, 0, "{reason=\"kicked\"}", ROOM(kicks)},
    {0, 0, "{reason=\"failed\"}", ROOM(clients_failed)},
    {"lockstep_ticks_skipped_total", "Ticks that the schedule skipped because the server was late.",
     "", ROOM(ticks_skipped)},
    {"lockstep_ticks_held_total", "Ticks that waited for a player.", "", ROOM(ticks_held)},
    {"lockstep_simulation_lag_seconds", "How far the slowest simulation lags its closed ticks.", "",
     SERVER(lag_ns), SECONDS},
    {"lockstep_players_behind_seconds",
     "How long ago the oldest tick was closed that a player has not acknowledged.", "",
     ROOM(behind_ns), SECONDS},
    {"lockstep_inputs_accepted_total", "Inputs that entered a tick.", "{kind=\"order\"}",
     ROOM(inputs_accepted)},
    {0, 0, "{kind=\"state\"}", ROOM(states_accepted)},
    {"lockstep_inputs_late_total",
     "Inputs that missed their tick: orders entered a later one, states were dropped.",
     "{kind=\"order\"}", ROOM(inputs_late)},
    {0, 0, "{kind=\"state\"}", ROOM(states_late)},
    {"lockstep_inputs_substituted_total", "States that the server substituted for missing ones.",
     "", ROOM(states_substituted)},
    {"lockstep_inputs_refused_total",
     "Inputs that entered no tick: refused by the simulation or too far ahead, or over the rate.",
     "{kind=\"order\",reason=\"invalid\"}", ROOM(inputs_refused)},
    {0, 0, "{kind=\"order\",reason=\"limited\"}", ROOM(inputs_limited)},
    {0, 0, "{kind=\"state\",reason=\"invalid\"}", ROOM(states_refused)},
    {"lockstep_roots_checked_total", "Hashes of clients that were correct.", "",
     ROOM(roots_checked)},
    {"lockstep_roots_missed_total", "Times that a client kept sending without new hashes.", "",
     ROOM(roots_missed)},
    {"lockstep_desyncs_total", "Sessions whose hash differed.", "", ROOM(desyncs)},
    {"lockstep_desyncs_located_total",
     "Desyncs for which the server found component, entity and field.", "{cause=\"inputs\"}",
     ROOM(found_inputs)},
    {0, 0, "{cause=\"build\"}", ROOM(found_builds)},
    {0, 0, "{cause=\"state\"}", ROOM(found_states)},
    {"lockstep_desyncs_unexplained_total", "Desyncs for which the server found no difference.", "",
     ROOM(desyncs_unexplained)},
    {"lockstep_resyncs_total", "Diverged sessions that were told to reload.", "", ROOM(resyncs)},
    {"lockstep_evidence_files_total", "Files begun about failed matches.", "",
     SERVER(evidence_files)},
    {"lockstep_packets_total", "Packets of sessions, without handshakes.",
     "{direction=\"received\"}", SERVER(packets_received)},
    {0, 0, "{direction=\"sent\"}", SERVER(packets_sent)},
    {"lockstep_bytes_total", "Bytes of the packets of sessions, without headers.",
     "{direction=\"received\"}", SERVER(bytes_received)},
    {0, 0, "{direction=\"sent\"}", SERVER(bytes_sent)},
    {"lockstep_packets_dropped_total",
     "Packets of sessions that were not authentic, replayed, malformed or over a budget.", "",
     SERVER(packets_dropped)},
    {"lockstep_datagrams_refused_total",
     "Datagrams that were no handshake and no new packet of a connection.",
     "{reason=\"malformed\"}", LINK(refused[LS_LINK_MALFORMED])},
    {0, 0, "{reason=\"stranger\"}", LINK(refused[LS_LINK_STRANGER])},
    {0, 0, "{reason=\"forged\"}", LINK(refused[LS_LINK_FORGED])},
    {0, 0, "{reason=\"repeated\"}", LINK(refused[LS_LINK_REPEATED])},
    {0, 0, "{reason=\"limited\"}", LINK(refused[LS_LINK_LIMITED])},
    {0, 0, "{reason=\"connect\"}", LINK(connects_refused)},
    {"lockstep_socket_errors_total",
     "Datagrams that the socket refused or cut, and packets that could not be queued.",
     "{kind=\"receive\"}", LINK(receive_errors)},
    {0, 0, "{kind=\"send\"}", LINK(sends_failed)},
    {"lockstep_web_channels", "WebSockets of players now.", "", WEB(LS_WEB_CHANNELS)},
    {"lockstep_web_channels_opened_total", "WebSockets of players that opened.", "",
     WEB(LS_WEB_OPENED)},
    {"lockstep_web_requests_refused_total",
     "Requests for a WebSocket of a player that were refused.", "{reason=\"path\"}",
     WEB(LS_WEB_REFUSED_PATH)},
    {0, 0, "{reason=\"origin\"}", WEB(LS_WEB_REFUSED_ORIGIN)},
    {0, 0, "{reason=\"header\"}", WEB(LS_WEB_REFUSED_HEADER)},
    {0, 0, "{reason=\"address\"}", WEB(LS_WEB_REFUSED_ADDRESS)},
    {0, 0, "{reason=\"full\"}", WEB(LS_WEB_REFUSED_FULL)},
    {"lockstep_web_channels_closed_total", "WebSockets of players that closed.",
     "{reason=\"client\"}", WEB(LS_WEB_CLOSED_CLIENT)},
    {0, 0, "{reason=\"done\"}", WEB(LS_WEB_CLOSED_DONE)},
    {0, 0, "{reason=\"malformed\"}", WEB(LS_WEB_CLOSED_MALFORMED)},
    {0, 0, "{reason=\"silent\"}", WEB(LS_WEB_CLOSED_SILENT)},
    {0, 0, "{reason=\"stalled\"}", WEB(LS_WEB_CLOSED_STALLED)},
    {0, 0, "{reason=\"busy\"}", WEB(LS_WEB_CLOSED_BUSY)},
    {"lockstep_web_bytes_total",
     "Bytes of messages of WebSockets, with handshakes, without headers.",
     "{direction=\"received\"}", WEB(LS_WEB_BYTES_RECEIVED)},
    {0, 0, "{direction=\"sent\"}", WEB(LS_WEB_BYTES_SENT)},
    {"lockstep_hellos_total", "HELLO messages received.", "", SERVER(hellos)},
    {"lockstep_auths_total", "AUTH messages received.", "", SERVER(auths)},
    {"lockstep_handshakes_refused_total", "HELLO and AUTH messages that were refused.",
     "{reason=\"limited\"}", REFUSED(LS_REFUSED_LIMITED)},
    {0, 0, "{reason=\"incompatible\"}", REFUSED(LS_REFUSED_INCOMPATIBLE)},
    {0, 0, "{reason=\"put_off\"}", REFUSED(LS_REFUSED_PUT_OFF)},
    {0, 0, "{reason=\"token\"}", REFUSED(LS_REFUSED_TOKEN)},
    {0, 0, "{reason=\"invalid\"}", REFUSED(LS_REFUSED_INVALID)},
    {0, 0, "{reason=\"denied\"}", REFUSED(LS_REFUSED_DENIED)},
    {"lockstep_handshakes_expired_total", "Accepted handshakes that did not connect in time.", "",
     SERVER(handshakes_expired)},
    {"lockstep_gaps_answered_total", "Requests for lost ticks that were answered.", "",
     ROOM(gaps_answered)},
    {"lockstep_snapshots_total", "Snapshots packed for joining clients.", "",
     ROOM(snapshots_encoded)},
    {"lockstep_snapshot_bytes_total", "Bytes of snapshots sent.", "", ROOM(snapshot_bytes_sent)},
    {"lockstep_recording_bytes",
     "Bytes of the recordings of open rooms, in the files that are being written.", "",
     ROOM(recording_bytes)},
    {"lockstep_recording_written_bytes_total", "Bytes written to recordings.", "",
     offsetof(ls_metrics, rooms.recording_written_bytes)},
    {"lockstep_recording_failures_total", "Files of recordings that could not be written any more.",
     "", offsetof(ls_metrics, rooms.recording_failures)},
    {"lockstep_recordings_failed", "Open rooms that no file records after a failure.", "",
     offsetof(ls_metrics, recordings_failed)},
    {"lockstep_hook_failures_total", "Commands of --on-finished that failed or could not run.", "",
     offsetof(ls_metrics, hook_failures)},
    {"lockstep_retention_failures_total",
     "Looks at the recordings, one a minute, after which they exceed a limit or that failed.", "",
     offsetof(ls_metrics, retention_failures)},
    {"lockstep_broadcast_failures_total",
     "Writes to the folder of --broadcast-dir that failed, and matches that were given up.", "",
     offsetof(ls_metrics, broadcast_failures)},
    {"lockstep_recording_unsynced_ticks",
     "Ticks that a power cut would lose now, or that no file has, in the room with the most.", "",
     ROOM(recording_unsynced_ticks)},
    {"lockstep_jobs", "Jobs now, of the threads that simulate and of those that write recordings.",
     "{pool=\"simulation\",state=\"waiting\"}", offsetof(ls_metrics, jobs.waiting), COUNT_32},
    {0, 0, "{pool=\"simulation\",state=\"running\"}", offsetof(ls_metrics, jobs.running), COUNT_32},
    {0, 0, "{pool=\"disk\",state=\"waiting\"}", offsetof(ls_metrics, disk_jobs.waiting), COUNT_32},
    {0, 0, "{pool=\"disk\",state=\"running\"}", offsetof(ls_metrics, disk_jobs.running), COUNT_32},
    {"lockstep_log_lines_dropped_total",
     "Lines that the log lacks: about clients over a budget, or that its output did not take.",
     "{reason=\"limited\"}", SERVER(log_lines_dropped)},
    {0, 0, "{reason=\"output\"}", offsetof(ls_metrics, log_lines_lost)},
};

void ls_metrics_text_head(ls_builder *text, const char *name, const char *type, const char *help)
{
    ls_builder_add(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void ls_metrics_text_seconds(ls_builder *text, uint64_t ns)
{
    uint64_t fraction = ns % LS_SECOND_NS;
    ls_builder_add(text, "%" PRIu64, ns / LS_SECOND_NS);
    if (!fraction)
        return;
    ls_builder_add(text, ".%09" PRIu64, fraction);
    for (; fraction % 10 == 0; fraction /= 10)
        ls_builder_cut(text, 1);
}

static bool is_total(const char *name)
{
    size_t bytes = strlen(name);
    return bytes > 6 && strcmp(name + bytes - 6, "_total") == 0;
}

/* `first` is the row with the name. */
static void print_row(ls_builder *text, const ls_metrics *metrics, const struct row *first,
                      const struct row *row)
{
    const uint8_t *at = (const uint8_t *)metrics + row->offset;
    uint64_t value = 0;
    uint32_t small;
    if (row == first)
        ls_metrics_text_head(text, row->name, is_total(row->name) ? "counter" : "gauge", row->help);
    ls_builder_add(text, "%s%s ", first->name, row->labels);
    if (row->unit == COUNT_32) {
        memcpy(&small, at, sizeof small);
        value = small;
    } else {
        memcpy(&value, at, sizeof value);
    }
    if (row->unit == SECONDS)
        ls_metrics_text_seconds(text, value);
    else
        ls_builder_add(text, "%" PRIu64, value);
    ls_builder_add(text, "\n");
}

/* A bucket of a histogram: how many values do not exceed the bound. */
static void print_bucket(ls_builder *text, const char *name, uint64_t bound_ns, uint64_t count)
{
    ls_builder_add(text, "%s_bucket{le=\"", name);
    ls_metrics_text_seconds(text, bound_ns);
    ls_builder_add(text, "\"} %" PRIu64 "\n", count);
}

static void print_sum(ls_builder *text, const char *name, uint64_t sum_ns, uint64_t count)
{
    ls_builder_add(text, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum ", name, count, name);
    ls_metrics_text_seconds(text, sum_ns);
    ls_builder_add(text, "\n%s_count %" PRIu64 "\n", name, count);
}

static void print_times(ls_builder *text, const char *name, const char *help,
                        const ls_metrics_times *times)
{
    ls_metrics_text_head(text, name, "histogram", help);
    for (uint32_t i = 0; i < LS_METRICS_BUCKETS; i++)
        print_bucket(text, name, (uint64_t)LS_HISTOGRAM_UNIT_NS << (LS_METRICS_DOUBLINGS + i),
                     times->below[i]);
    print_sum(text, name, times->sum_ns, times->count);
}

/* The bounds and the sum of a ratio are printed as times: a second is a ratio of 1, all packets. */
static void print_loss(ls_builder *text, const char *name, const char *help,
                       const ls_client_loss *loss)
{
    uint64_t count = 0;
    ls_metrics_text_head(text, name, "histogram", help);
    for (uint32_t i = 0; i < LS_CLIENT_LOSSES; i++) {
        count += loss->buckets[i];
        print_bucket(text, name, ls_client_losses_permille[i] * (LS_SECOND_NS / 1000), count);
    }
    print_sum(text, name, loss->sum_permille * (LS_SECOND_NS / 1000), count);
}

void ls_metrics_text_print(ls_builder *text, const ls_metrics *metrics)
{
    const ls_metrics_sum *rooms = &metrics->rooms;
    print_times(text, "lockstep_tick_duration_seconds",
                "Time to simulate a tick and to hash its state.", &rooms->durations);
    print_times(text, "lockstep_tick_lateness_seconds",
                "How late ticks were closed, against their schedule.", &rooms->lateness);
    print_times(text, "lockstep_step_duration_seconds",
                "Time of one step of the network thread, which serves all rooms.", &metrics->steps);
    print_times(text, "lockstep_recording_sync_seconds",
                "Time until the disk had what was recorded (fsync).", &rooms->syncs);
    print_times(text, "lockstep_client_round_trip_seconds",
                "Round trips, as clients report them every ten seconds.", &rooms->round_trip);
    print_loss(text, "lockstep_client_loss_ratio",
               "Lost part of the packets of the server, as clients report it.", &rooms->loss);
    print_times(text, "lockstep_client_input_delay_seconds",
                "Match time from an input to the tick that has it, the longest of each report.",
                &rooms->input_delay);
    print_times(text, "lockstep_client_rollback_seconds",
                "Match time of the deepest rollback of each report.", &rooms->rollback);
    for (const struct row *first = rows, *row = rows; row < rows + LS_COUNT_OF(rows); row++) {
        first = row->name ? row : first;
        print_row(text, metrics, first, row);
    }
}

/* A label's value: backslash, quote and newline are escaped. */
static void print_quoted(ls_builder *text, const char *value)
{
    for (; *value; value++) {
        if (*value == '\n')
            ls_builder_add(text, "\\n");
        else
            ls_builder_add(text, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
    }
}

void ls_metrics_text_info(ls_builder *text, const char *name, const ls_metrics_label *labels,
                          uint32_t count)
{
    ls_builder_add(text, "%s{", name);
    for (uint32_t i = 0; i < count; i++) {
        ls_builder_add(text, "%s%s=\"", i ? "," : "", labels[i].key);
        print_quoted(text, labels[i].value);
        ls_builder_add(text, "\"");
    }
    ls_builder_add(text, "} 1\n");
}
