#include "client/receive.h"

#include "client/evidence_reply.h"
#include "client/loading.h"
#include "client/wire.h"

static void hear_times(ls_client *client, const ls_ticks *ticks)
{
    if (ticks->echo_us) {
        /* Both wrap alike; more than the largest round trip is an echo from before a wrap. */
        uint32_t now_us = (uint32_t)(client->now_ns / 1000);
        uint64_t rtt_ns = (uint64_t)(uint32_t)(now_us - ticks->echo_us - ticks->held_us) * 1000;
        ls_wire_sample_rtt(client, rtt_ns);
    }
    client->stats.slack_us = ticks->slack_us;
    ls_input_delay_hear(&client->lead, ticks->slack_us, client->stats.rtt_ns, client->now_ns);
}

static void hear_ticks(ls_client *client, const ls_plain *plain)
{
    ls_ticks ticks;
    if (!ls_ticks_decode(plain, client->accept.match.player_count, &ticks) ||
        !ls_outbox_acknowledge(&client->outbox, ticks.input_ack)) {
        client->stats.packets_dropped++;
        return;
    }
    hear_times(client, &ticks);
    ls_client_state state = client->state == LS_CLIENT_RESUMING ? client->resumed : client->state;
    if (state != LS_CLIENT_PLAYING)
        return; /* a snapshot is under way that will be newer */
    uint64_t head = client->frames.head;
    ls_frames_put(&client->frames, &ticks);
    client->head_since_ns = 0;
    if (client->frames.head > head)
        client->stats.head_ns = client->now_ns;
    ls_state_inputs_close(&client->states, client->frames.head);
    client->has_news = true;
}

static void hear_desync(ls_client *client, const ls_notice *notice)
{
    ls_evidence_reply_pin(client, notice->tick);
    if (client->stats.has_diverged)
        return;
    client->stats.has_diverged = true;
    client->stats.desync_tick = notice->tick;
    client->stats.root_own = notice->your_root;
    client->stats.root_server = notice->server_root;
    ls_wire_log(client, "desync tick=%llu player=%d own=%016llx server=%016llx",
                (unsigned long long)notice->tick,
                client->accept.player == LS_HANDSHAKE_PLAYER_NONE ? -1 : client->accept.player,
                (unsigned long long)notice->your_root, (unsigned long long)notice->server_root);
    if (!client->evidence.ms)
        ls_wire_log(client,
                    "evidence_none tick=%llu reason=\"no states are kept: evidence_ms is 0 "
                    "(--evidence-ms)\"",
                    (unsigned long long)notice->tick);
}

static void hear_end(ls_client *client, const ls_notice *notice)
{
    uint64_t tick = client->frames.next;
    if (client->has_world && tick == notice->tick && !client->stats.has_diverged) {
        uint64_t root = ls_world_root(client->world);
        if (root != notice->server_root)
            hear_desync(
                client,
                &(ls_notice){.tick = tick, .your_root = root, .server_root = notice->server_root});
    }
    if (tick == notice->tick)
        ls_wire_enter(client, LS_CLIENT_ENDED, "the match ended at tick %llu",
                      (unsigned long long)notice->tick);
    else
        ls_wire_enter(client, LS_CLIENT_ENDED, "the match ended at tick %llu; here it reached %llu",
                      (unsigned long long)notice->tick, (unsigned long long)tick);
}

static void hear_reload(ls_client *client, const ls_notice *notice)
{
    client->stats.reloads++;
    ls_wire_log(client, "reload tick=%llu", (unsigned long long)notice->tick);
    ls_loading_begin(client, notice->tick, notice->text[0] ? notice->text : "the server asks");
}

static void hear_notice(ls_client *client, const ls_plain *plain)
{
    ls_notice notice;
    if (!ls_notice_decode(plain, &notice)) {
        client->stats.packets_dropped++;
        return;
    }
    switch ((ls_notice_kind)notice.kind) {
    case LS_NOTICE_DESYNC:
        hear_desync(client, &notice);
        break;
    case LS_NOTICE_KICK:
        ls_wire_refuse(client, LS_ERROR_REFUSED, "the server ended the session: %s", notice.text);
        break;
    case LS_NOTICE_GOODBYE:
        ls_wire_enter(client, LS_CLIENT_FAILED, "%s", notice.text);
        break;
    case LS_NOTICE_END:
        hear_end(client, &notice);
        break;
    case LS_NOTICE_RELOAD:
        hear_reload(client, &notice);
        break;
    }
}

bool ls_receive_packet(ls_client *client, const ls_packet *packet)
{
    ls_plain plain;
    if (!ls_wire_open(client, packet, &plain))
        return false;
    switch (plain.type) {
    case LS_MESSAGE_TICKS:
        hear_ticks(client, &plain);
        break;
    case LS_MESSAGE_SNAPSHOT_CHUNK:
        ls_loading_hear(client, &plain);
        break;
    case LS_MESSAGE_EVIDENCE_REQUEST:
        ls_evidence_reply_hear(client, &plain);
        break;
    case LS_MESSAGE_NOTICE:
        hear_notice(client, &plain);
        break;
    default:
        client->stats.packets_dropped++;
        break;
    }
    return true;
}
