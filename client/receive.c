#include "client/receive.h"

#include "client/confirmed.h"
#include "client/loading.h"
#include "proto/notice.h"

#include <stdio.h>
#include <string.h>

static void receive_times(ls_playback *playback, const ls_ticks *ticks)
{
    ls_connection *connection = playback->connection;
    if (ticks->echo_us) {
        /* Both times wrap at 32 bits. An echo from before a wrap gives more than the largest round
         * trip, and is ignored. */
        uint32_t arrived_us = (uint32_t)(connection->arrived_ns / 1000);
        uint64_t rtt_ns = (uint64_t)(uint32_t)(arrived_us - ticks->echo_us - ticks->held_us) * 1000;
        ls_connection_sample_rtt(connection, rtt_ns);
    }
    connection->stats.slack_us = ticks->slack_us;
    ls_input_delay_note_slack(&playback->outbox->delay, ticks->slack_us, connection->stats.rtt_ns,
                              connection->now_ns);
}

static void receive_ticks(ls_playback *playback, const ls_plain *plain)
{
    ls_connection *connection = playback->connection;
    ls_ticks ticks;
    if (!ls_ticks_decode(plain, connection->accept.match.player_count, &ticks) ||
        !ls_order_queue_acknowledge(&playback->outbox->orders, ticks.input_ack)) {
        connection->stats.packets_dropped++;
        return;
    }
    receive_times(playback, &ticks);
    if (ls_connection_session_state(connection) != LS_CLIENT_PLAYING)
        return; /* missing ticks are requested once the snapshot is loaded */
    uint64_t head = playback->frames.head, have = playback->frames.have;
    bool is_repeat = ticks.first + ticks.count <= have;
    ls_frames_put(&playback->frames, &ticks);
    playback->head_old_ns = 0;
    if (playback->frames.head > head) {
        connection->stats.head_ns = connection->arrived_ns;
        ls_tick_timing_note_arrival(&playback->timing, playback->frames.head - 1,
                                    connection->arrived_ns);
    }
    if (playback->is_timed)
        ls_tick_timing_note_whole(&playback->timing, have, playback->frames.have,
                                  connection->arrived_ns);
    ls_outbox_note_ticks(playback->outbox, &playback->frames, &ticks, is_repeat);
}

static void receive_desync(ls_playback *playback, const ls_notice *notice)
{
    ls_connection *connection = playback->connection;
    ls_evidence_reply_pin(&playback->evidence, notice->tick);
    if (connection->stats.has_diverged)
        return;
    connection->stats.has_diverged = true;
    connection->stats.desync_tick = notice->tick;
    connection->stats.root_own = notice->your_root;
    connection->stats.root_server = notice->server_root;
    ls_connection_log(
        connection, "desync tick=%llu player=%d own=%016llx server=%016llx",
        (unsigned long long)notice->tick,
        connection->accept.player == LS_HANDSHAKE_PLAYER_NONE ? -1 : connection->accept.player,
        (unsigned long long)notice->your_root, (unsigned long long)notice->server_root);
    if (!playback->evidence.keep_ms)
        ls_connection_log(connection,
                          "evidence_none tick=%llu reason=\"no states are kept: evidence_ms is 0\"",
                          (unsigned long long)notice->tick);
}

void ls_receive_run_end(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    uint64_t tick = playback->frames.next;
    bool is_whole = tick == playback->end_tick;
    if (ls_connection_session_state(connection) == LS_CLIENT_PLAYING && tick < playback->end_tick &&
        ls_playback_is_due(playback))
        return;
    if (is_whole && playback->world && playback->has_begun && !connection->stats.has_diverged) {
        uint64_t root = ls_world_root(playback->world);
        if (root != playback->end_root)
            receive_desync(
                playback,
                &(ls_notice){.tick = tick, .your_root = root, .server_root = playback->end_root});
    }
    char missing[64] = "";
    if (!is_whole)
        snprintf(missing, sizeof missing, "; here it reached %llu", (unsigned long long)tick);
    ls_connection_enter(connection, LS_CLIENT_ENDED, "the match ended at tick %llu%s",
                        (unsigned long long)playback->end_tick, missing);
}

static void receive_end(ls_playback *playback, const ls_notice *notice)
{
    playback->has_end = true;
    playback->end_tick = notice->tick;
    playback->end_root = notice->server_root;
    ls_receive_run_end(playback);
}

static void receive_reload(ls_playback *playback, const ls_notice *notice)
{
    playback->is_barred = false;
    playback->connection->stats.reloads++;
    ls_connection_log(playback->connection, "reload tick=%llu", (unsigned long long)notice->tick);
    ls_loading_begin(playback, notice->tick, notice->text[0] ? notice->text : "the server asks");
}

static void receive_kept(ls_playback *playback, const ls_notice *notice)
{
    ls_connection *connection = playback->connection;
    if (connection->accept.player == LS_HANDSHAKE_PLAYER_NONE) {
        connection->stats.packets_dropped++;
        return;
    }
    ls_connection_log(connection, "kept tick=%llu player=%u", (unsigned long long)notice->tick,
                      connection->accept.player);
    playback->kept_tick = notice->tick > 0 ? notice->tick : 1;
    ls_confirmed_keep_seat(playback);
}

static void receive_say(ls_connection *connection, const ls_notice *notice)
{
    if (connection->text_count == LS_CONNECTION_TEXTS_MAX) {
        connection->text_first = (connection->text_first + 1) % LS_CONNECTION_TEXTS_MAX;
        connection->text_count--;
    }
    uint32_t at = (connection->text_first + connection->text_count) % LS_CONNECTION_TEXTS_MAX;
    strcpy(connection->texts[at], notice->text);
    connection->text_count++;
}

static void receive_notice(ls_playback *playback, const ls_plain *plain)
{
    ls_connection *connection = playback->connection;
    ls_notice notice;
    if (!ls_notice_decode(plain, &notice)) {
        connection->stats.packets_dropped++;
        return;
    }
    bool is_late = notice.kind == LS_NOTICE_RELOAD || notice.kind == LS_NOTICE_FOLLOW;
    if (playback->has_end && is_late) {
        connection->stats.packets_dropped++;
        return;
    }
    switch ((ls_notice_kind)notice.kind) {
    case LS_NOTICE_DESYNC:
        playback->is_barred |= !playback->is_playing;
        receive_desync(playback, &notice);
        break;
    case LS_NOTICE_KICK:
        ls_connection_refuse(connection, LS_ERROR_REFUSED, "the server ended the session: %s",
                             notice.text);
        break;
    case LS_NOTICE_GOODBYE:
        ls_connection_enter(connection, LS_CLIENT_FAILED, "%s", notice.text);
        break;
    case LS_NOTICE_END:
        receive_end(playback, &notice);
        break;
    case LS_NOTICE_RELOAD:
        receive_reload(playback, &notice);
        break;
    case LS_NOTICE_KEPT:
        receive_kept(playback, &notice);
        break;
    case LS_NOTICE_SAY:
        receive_say(connection, &notice);
        break;
    case LS_NOTICE_FOLLOW:
        connection->is_led = (connection->capabilities & LS_CAPABILITY_FOLLOW) != 0;
        connection->led_to = notice.to;
        connection->stats.packets_dropped += !connection->is_led;
        break;
    }
}

bool ls_receive_packet(ls_playback *playback, const ls_packet *packet)
{
    ls_plain plain;
    if (!ls_connection_open(playback->connection, packet, &plain))
        return false;
    switch (plain.type) {
    case LS_MESSAGE_TICKS:
        receive_ticks(playback, &plain);
        break;
    case LS_MESSAGE_SNAPSHOT_CHUNK:
        ls_loading_receive(playback, &plain);
        break;
    case LS_MESSAGE_EVIDENCE_REQUEST:
        ls_evidence_reply_receive(&playback->evidence, &plain);
        break;
    case LS_MESSAGE_NOTICE:
        receive_notice(playback, &plain);
        break;
    default:
        playback->connection->stats.packets_dropped++;
        break;
    }
    return true;
}
