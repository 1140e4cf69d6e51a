#include "cli/serve/metrics_text.h"

#include "core/base/histogram.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum unit { COUNT, COUNT_32, SECONDS };

/* One sample. Without `help` it belongs to the metric of the row above. */
struct row {
    const char *name, *labels, *type, *help;
    size_t offset;
    enum unit unit;
};

#define ROOM(member)   offsetof(ls_metrics, rooms.stats.member)
#define SERVER(member) offsetof(ls_metrics, server.member)
#define LINK(member)   offsetof(ls_metrics, link.member)
#define WEB(counter)   offsetof(ls_metrics, web[counter])
#define REFUSED(why)   offsetof(ls_metrics, handshakes_refused[why])

static const struct row rows[] = {
    {"lockstep_rooms", "{state=\"restoring\"}", "gauge", "Open rooms.",
     offsetof(ls_metrics, states[LS_METRICS_RESTORING]), COUNT},
    {"lockstep_rooms", "{state=\"waiting\"}", 0, 0,
     offsetof(ls_metrics, states[LS_METRICS_WAITING]), COUNT},
    {"lockstep_rooms", "{state=\"running\"}", 0, 0,
     offsetof(ls_metrics, states[LS_METRICS_RUNNING]), COUNT},
    {"lockstep_rooms", "{state=\"paused\"}", 0, 0, offsetof(ls_metrics, states[LS_METRICS_PAUSED]),
     COUNT},
    {"lockstep_rooms", "{state=\"ending\"}", 0, 0, offsetof(ls_metrics, states[LS_METRICS_ENDING]),
     COUNT},
    {"lockstep_rooms_opened_total", "", "counter", "Rooms opened.", SERVER(rooms_opened), COUNT},
    {"lockstep_rooms_failed_total", "", "counter", "Rooms closed because their match failed.",
     SERVER(rooms_failed), COUNT},
    {"lockstep_peers", "{kind=\"player\"}", "gauge", "Sessions now, by kind.",
     offsetof(ls_metrics, kinds[LS_METRICS_PLAYER]), COUNT},
    {"lockstep_peers", "{kind=\"bot\"}", 0, 0, offsetof(ls_metrics, kinds[LS_METRICS_BOT]), COUNT},
    {"lockstep_peers", "{kind=\"spectator\"}", 0, 0,
     offsetof(ls_metrics, kinds[LS_METRICS_SPECTATOR]), COUNT},
    {"lockstep_light_peers", "", "gauge", "Sessions now that do not simulate.", SERVER(light),
     COUNT_32},
    {"lockstep_joins_total", "", "counter", "Players that joined a match.", ROOM(joins), COUNT},
    {"lockstep_leaves_total", "", "counter", "Players that left a match.", ROOM(leaves), COUNT},
    {"lockstep_seats_kept_total", "", "counter",
     "Players that returned in time, without a leave and a join.", ROOM(seats_kept), COUNT},
    {"lockstep_sessions_moved_total", "", "counter", "Sessions that moved to another address.",
     SERVER(sessions_moved), COUNT},
    {"lockstep_sessions_ended_total", "{reason=\"silent\"}", "counter",
     "Sessions that did not end by themselves.", ROOM(timeouts), COUNT},
    {"lockstep_sessions_ended_total", "{reason=\"kicked\"}", 0, 0, ROOM(kicks), COUNT},
    {"lockstep_sessions_ended_total", "{reason=\"failed\"}", 0, 0, ROOM(clients_failed), COUNT},
    {"lockstep_ticks_skipped_total", "", "counter",
     "Ticks that the schedule skipped because the server was late.", ROOM(ticks_skipped), COUNT},
    {"lockstep_ticks_held_total", "", "counter", "Ticks that waited for a player.",
     ROOM(ticks_held), COUNT},
    {"lockstep_simulation_lag_seconds", "", "gauge",
     "How far the slowest simulation lags its closed ticks.", SERVER(lag_ns), SECONDS},
    {"lockstep_players_behind_seconds", "", "gauge",
     "How long ago the oldest tick was closed that a player has not acknowledged.", ROOM(behind_ns),
     SECONDS},
    {"lockstep_inputs_accepted_total", "{kind=\"order\"}", "counter", "Inputs that entered a tick.",
     ROOM(inputs_accepted), COUNT},
    {"lockstep_inputs_accepted_total", "{kind=\"state\"}", 0, 0, ROOM(states_accepted), COUNT},
    {"lockstep_inputs_late_total", "{kind=\"order\"}", "counter",
     "Inputs that missed their tick: orders entered a later one, states were dropped.",
     ROOM(inputs_late), COUNT},
    {"lockstep_inputs_late_total", "{kind=\"state\"}", 0, 0, ROOM(states_late), COUNT},
    {"lockstep_inputs_substituted_total", "", "counter",
     "States that the server substituted for missing ones.", ROOM(states_substituted), COUNT},
    {"lockstep_inputs_refused_total", "{kind=\"order\",reason=\"invalid\"}", "counter",
     "Inputs that entered no tick: refused by the simulation or too far ahead, or over the rate.",
     ROOM(inputs_refused), COUNT},
    {"lockstep_inputs_refused_total", "{kind=\"order\",reason=\"limited\"}", 0, 0,
     ROOM(inputs_limited), COUNT},
    {"lockstep_inputs_refused_total", "{kind=\"state\",reason=\"invalid\"}", 0, 0,
     ROOM(states_refused), COUNT},
    {"lockstep_roots_checked_total", "", "counter", "Hashes of clients that were correct.",
     ROOM(roots_checked), COUNT},
    {"lockstep_roots_missed_total", "", "counter",
     "Times that a client kept sending without new hashes.", ROOM(roots_missed), COUNT},
    {"lockstep_desyncs_total", "", "counter", "Sessions whose hash differed.", ROOM(desyncs),
     COUNT},
    {"lockstep_desyncs_located_total", "{cause=\"inputs\"}", "counter",
     "Desyncs for which the server found component, entity and field.", ROOM(found_inputs), COUNT},
    {"lockstep_desyncs_located_total", "{cause=\"build\"}", 0, 0, ROOM(found_builds), COUNT},
    {"lockstep_desyncs_located_total", "{cause=\"state\"}", 0, 0, ROOM(found_states), COUNT},
    {"lockstep_desyncs_unexplained_total", "", "counter",
     "Desyncs for which the server found no difference.", ROOM(desyncs_unexplained), COUNT},
    {"lockstep_resyncs_total", "", "counter", "Diverged sessions that were told to reload.",
     ROOM(resyncs), COUNT},
    {"lockstep_evidence_files_total", "", "counter", "Files begun about failed matches.",
     SERVER(evidence_files), COUNT},
    {"lockstep_packets_total", "{direction=\"received\"}", "counter",
     "Packets of sessions, without handshakes.", SERVER(packets_received), COUNT},
    {"lockstep_packets_total", "{direction=\"sent\"}", 0, 0, SERVER(packets_sent), COUNT},
    {"lockstep_bytes_total", "{direction=\"received\"}", "counter",
     "Bytes of the packets of sessions, without headers.", SERVER(bytes_received), COUNT},
    {"lockstep_bytes_total", "{direction=\"sent\"}", 0, 0, SERVER(bytes_sent), COUNT},
    {"lockstep_packets_dropped_total", "", "counter",
     "Packets of sessions that were not authentic, replayed, malformed or over a budget.",
     SERVER(packets_dropped), COUNT},
    {"lockstep_datagrams_refused_total", "{reason=\"malformed\"}", "counter",
     "Datagrams that were no handshake and no new packet of a connection.",
     LINK(refused[LS_LINK_MALFORMED]), COUNT},
    {"lockstep_datagrams_refused_total", "{reason=\"stranger\"}", 0, 0,
     LINK(refused[LS_LINK_STRANGER]), COUNT},
    {"lockstep_datagrams_refused_total", "{reason=\"forged\"}", 0, 0, LINK(refused[LS_LINK_FORGED]),
     COUNT},
    {"lockstep_datagrams_refused_total", "{reason=\"repeated\"}", 0, 0,
     LINK(refused[LS_LINK_REPEATED]), COUNT},
    {"lockstep_datagrams_refused_total", "{reason=\"limited\"}", 0, 0,
     LINK(refused[LS_LINK_LIMITED]), COUNT},
    {"lockstep_datagrams_refused_total", "{reason=\"connect\"}", 0, 0, LINK(connects_refused),
     COUNT},
    {"lockstep_socket_errors_total", "{kind=\"receive\"}", "counter",
     "Datagrams that the socket refused or cut, and packets that could not be queued.",
     LINK(receive_errors), COUNT},
    {"lockstep_socket_errors_total", "{kind=\"send\"}", 0, 0, LINK(sends_failed), COUNT},
    {"lockstep_web_channels", "", "gauge", "WebSockets of players now.", WEB(LS_WEB_CHANNELS),
     COUNT},
    {"lockstep_web_channels_opened_total", "", "counter", "WebSockets of players that opened.",
     WEB(LS_WEB_OPENED), COUNT},
    {"lockstep_web_requests_refused_total", "{reason=\"path\"}", "counter",
     "Requests for a WebSocket of a player that were refused.", WEB(LS_WEB_REFUSED_PATH), COUNT},
    {"lockstep_web_requests_refused_total", "{reason=\"origin\"}", 0, 0, WEB(LS_WEB_REFUSED_ORIGIN),
     COUNT},
    {"lockstep_web_requests_refused_total", "{reason=\"header\"}", 0, 0, WEB(LS_WEB_REFUSED_HEADER),
     COUNT},
    {"lockstep_web_requests_refused_total", "{reason=\"address\"}", 0, 0,
     WEB(LS_WEB_REFUSED_ADDRESS), COUNT},
    {"lockstep_web_requests_refused_total", "{reason=\"full\"}", 0, 0, WEB(LS_WEB_REFUSED_FULL),
     COUNT},
    {"lockstep_web_channels_closed_total", "{reason=\"client\"}", "counter",
     "WebSockets of players that closed.", WEB(LS_WEB_CLOSED_CLIENT), COUNT},
    {"lockstep_web_channels_closed_total", "{reason=\"done\"}", 0, 0, WEB(LS_WEB_CLOSED_DONE),
     COUNT},
    {"lockstep_web_channels_closed_total", "{reason=\"malformed\"}", 0, 0,
     WEB(LS_WEB_CLOSED_MALFORMED), COUNT},
    {"lockstep_web_channels_closed_total", "{reason=\"silent\"}", 0, 0, WEB(LS_WEB_CLOSED_SILENT),
     COUNT},
    {"lockstep_web_channels_closed_total", "{reason=\"stalled\"}", 0, 0, WEB(LS_WEB_CLOSED_STALLED),
     COUNT},
    {"lockstep_web_channels_closed_total", "{reason=\"busy\"}", 0, 0, WEB(LS_WEB_CLOSED_BUSY),
     COUNT},
    {"lockstep_web_bytes_total", "{direction=\"received\"}", "counter",
     "Bytes of messages of WebSockets, with handshakes, without headers.",
     WEB(LS_WEB_BYTES_RECEIVED), COUNT},
    {"lockstep_web_bytes_total", "{direction=\"sent\"}", 0, 0, WEB(LS_WEB_BYTES_SENT), COUNT},
    {"lockstep_hellos_total", "", "counter", "HELLO messages received.", SERVER(hellos), COUNT},
    {"lockstep_auths_total", "", "counter", "AUTH messages received.", SERVER(auths), COUNT},
    {"lockstep_handshakes_refused_total", "{reason=\"limited\"}", "counter",
     "HELLO and AUTH messages that were refused.", REFUSED(LS_REFUSED_LIMITED), COUNT},
    {"lockstep_handshakes_refused_total", "{reason=\"incompatible\"}", 0, 0,
     REFUSED(LS_REFUSED_INCOMPATIBLE), COUNT},
    {"lockstep_handshakes_refused_total", "{reason=\"put_off\"}", 0, 0, REFUSED(LS_REFUSED_PUT_OFF),
     COUNT},
    {"lockstep_handshakes_refused_total", "{reason=\"token\"}", 0, 0, REFUSED(LS_REFUSED_TOKEN),
     COUNT},
    {"lockstep_handshakes_refused_total", "{reason=\"invalid\"}", 0, 0, REFUSED(LS_REFUSED_INVALID),
     COUNT},
    {"lockstep_handshakes_refused_total", "{reason=\"denied\"}", 0, 0, REFUSED(LS_REFUSED_DENIED),
     COUNT},
    {"lockstep_handshakes_expired_total", "", "counter",
     "Accepted handshakes that did not connect in time.", SERVER(handshakes_expired), COUNT},
    {"lockstep_gaps_answered_total", "", "counter", "Requests for lost ticks that were answered.",
     ROOM(gaps_answered), COUNT},
    {"lockstep_snapshots_total", "", "counter", "Snapshots packed for joining clients.",
     ROOM(snapshots_encoded), COUNT},
    {"lockstep_snapshot_bytes_total", "", "counter", "Bytes of snapshots sent.",
     ROOM(snapshot_bytes_sent), COUNT},
    {"lockstep_recording_bytes", "", "gauge",
     "Bytes of the recordings of open rooms, in the files that are being written.",
     ROOM(recording_bytes), COUNT},
    {"lockstep_recording_written_bytes_total", "", "counter", "Bytes written to recordings.",
     offsetof(ls_metrics, rooms.recording_written_bytes), COUNT},
    {"lockstep_recording_failures_total", "", "counter",
     "Files of recordings that could not be written any more.",
     offsetof(ls_metrics, rooms.recording_failures), COUNT},
    {"lockstep_recordings_failed", "", "gauge", "Open rooms that no file records after a failure.",
     offsetof(ls_metrics, recordings_failed), COUNT},
    {"lockstep_hook_failures_total", "", "counter",
     "Commands of --on-finished that failed or could not run.", offsetof(ls_metrics, hook_failures),
     COUNT},
    {"lockstep_retention_failures_total", "", "counter",
     "Looks at the recordings, one a minute, after which they exceed a limit or that failed.",
     offsetof(ls_metrics, retention_failures), COUNT},
    {"lockstep_broadcast_failures_total", "", "counter",
     "Writes to the folder of --broadcast-dir that failed, and matches that were given up.",
     offsetof(ls_metrics, broadcast_failures), COUNT},
    {"lockstep_recording_unsynced_ticks", "", "gauge",
     "Ticks that a power cut would lose now, or that no file has, in the room with the most.",
     ROOM(recording_unsynced_ticks), COUNT},
    {"lockstep_jobs", "{pool=\"simulation\",state=\"waiting\"}", "gauge",
     "Jobs now, of the threads that simulate and of those that write recordings.",
     offsetof(ls_metrics, jobs.waiting), COUNT_32},
    {"lockstep_jobs", "{pool=\"simulation\",state=\"running\"}", 0, 0,
     offsetof(ls_metrics, jobs.running), COUNT_32},
    {"lockstep_jobs", "{pool=\"disk\",state=\"waiting\"}", 0, 0,
     offsetof(ls_metrics, disk_jobs.waiting), COUNT_32},
    {"lockstep_jobs", "{pool=\"disk\",state=\"running\"}", 0, 0,
     offsetof(ls_metrics, disk_jobs.running), COUNT_32},
    {"lockstep_log_lines_dropped_total", "{reason=\"limited\"}", "counter",
     "Lines that the log lacks: about clients over a budget, or that its output did not take.",
     SERVER(log_lines_dropped), COUNT},
    {"lockstep_log_lines_dropped_total", "{reason=\"output\"}", 0, 0,
     offsetof(ls_metrics, log_lines_lost), COUNT},
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

static void print_row(ls_builder *text, const ls_metrics *metrics, const struct row *row)
{
    const uint8_t *at = (const uint8_t *)metrics + row->offset;
    uint64_t value = 0;
    uint32_t small;
    if (row->help)
        ls_metrics_text_head(text, row->name, row->type, row->help);
    ls_builder_add(text, "%s%s ", row->name, row->labels);
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

/* A second stands for all packets. */
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
    for (size_t i = 0; i < LS_COUNT_OF(rows); i++)
        print_row(text, metrics, &rows[i]);
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
