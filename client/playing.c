#include "client/playing.h"

#include "client/wire.h"

#include <stdio.h>

static uint64_t patience_ns(const ls_client *client, uint64_t least_ns)
{
    return 2 * client->stats.rtt_ns > least_ns ? 2 * client->stats.rtt_ns : least_ns;
}

static void hear_ticks(ls_client *client, const ls_plain *plain)
{
    ls_ticks ticks;
    if (!ls_ticks_decode(plain, client->accept.match.player_count, &ticks) ||
        !ls_outbox_acknowledge(&client->outbox, ticks.input_ack)) {
        client->stats.packets_dropped++;
        return;
    }
    if (client->state != LS_CLIENT_PLAYING)
        return; /* a snapshot is under way that will be newer */
    ls_frames_put(&client->frames, &ticks);
    client->has_news = true;
}

static void hear_chunk(ls_client *client, const ls_plain *plain)
{
    ls_snapshot_chunk chunk;
    ls_error error;
    if (!ls_snapshot_chunk_decode(plain, &chunk)) {
        client->stats.packets_dropped++;
        return;
    }
    if (client->ping_ns) {
        ls_wire_sample_rtt(client, client->now_ns - client->ping_ns);
        client->ping_ns = 0;
    }
    if (client->state == LS_CLIENT_LOADING &&
        ls_loader_take(&client->loader, &chunk, &error) != LS_OK)
        ls_wire_enter(client, LS_CLIENT_LOST, "%s", error.text);
}

static void hear_desync(ls_client *client, const ls_notice *notice)
{
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

static void hear_notice(ls_client *client, const ls_plain *plain)
{
    ls_notice notice;
    if (!ls_notice_decode(plain, &notice)) {
        client->stats.packets_dropped++;
        return;
    }
    switch (notice.kind) {
    case LS_NOTICE_DESYNC:
        hear_desync(client, &notice);
        break;
    case LS_NOTICE_KICK:
        ls_wire_enter(client, LS_CLIENT_REFUSED, "the server ended the session: %s", notice.text);
        break;
    case LS_NOTICE_GOODBYE:
        ls_wire_enter(client, LS_CLIENT_ENDED, "the server stops: %s", notice.text);
        break;
    default:
        hear_end(client, &notice);
        break;
    }
}

void ls_playing_hear(ls_client *client, const ls_packet *packet)
{
    ls_plain plain;
    if (ls_seal_open(&client->seal, packet, &plain) != LS_OK) {
        client->stats.packets_dropped++;
        return;
    }
    client->heard_ns = client->now_ns;
    switch (plain.type) {
    case LS_MESSAGE_TICKS:
        hear_ticks(client, &plain);
        break;
    case LS_MESSAGE_SNAPSHOT_CHUNK:
        hear_chunk(client, &plain);
        break;
    case LS_MESSAGE_NOTICE:
        hear_notice(client, &plain);
        break;
    default:
        client->stats.packets_dropped++;
        break;
    }
}

static void begin_snapshot(ls_client *client, const char *why)
{
    if (++client->tries > LS_CLIENT_SNAPSHOT_TRIES) {
        ls_wire_enter(client, LS_CLIENT_LOST, "cannot keep up with the match: %s", why);
        return;
    }
    ls_loader_reset(&client->loader);
    ls_wire_enter(client, LS_CLIENT_LOADING, "fetching the match again: %s", why);
}

static void send_request(ls_client *client, const ls_snapshot_request *request)
{
    ls_plain plain;
    ls_snapshot_request_encode(request, &plain);
    ls_wire_send(client, &plain);
}

static void note_root(ls_client *client)
{
    char what[128];
    if (client->frames.next >= client->corrupt_at && !client->stats.was_corrupted &&
        ls_world_flip_bit(client->world, client->corrupt_pick, what, sizeof what)) {
        client->stats.was_corrupted = true;
        ls_wire_log(client, "corrupted tick=%llu what=\"%s\"",
                    (unsigned long long)client->frames.next, what);
    }
    ls_outbox_add_root(&client->outbox, client->frames.next, ls_world_root(client->world));
    client->has_news = true;
}

static void finish_snapshot(ls_client *client)
{
    ls_error error = {""};
    ls_loader *loader = &client->loader;
    ls_status status = ls_world_decode(client->world, loader->bytes, loader->total_bytes, &error);
    if (status == LS_OK && ls_world_tick(client->world) != loader->tick)
        status = ls_error_set(&error, LS_ERROR_CORRUPT, "it is of another tick than announced");
    if (status != LS_OK) {
        ls_wire_enter(client, LS_CLIENT_LOST, "the server's snapshot cannot be read: %s",
                      error.text);
        return;
    }
    /* A reload may have jumped over the tick of our JOIN. The server takes no input before it. */
    if (client->has_world && client->accept.player != LS_HANDSHAKE_PLAYER_NONE)
        client->stats.is_playing = true;
    client->has_world = true;
    client->stats.snapshots_loaded++;
    client->stats.snapshot_bytes += loader->total_bytes;
    ls_frames_restart(&client->frames, loader->tick);
    client->loaded_tick = loader->tick;
    client->gap_asked_ns = client->gap_end = 0;
    client->advanced_ns = client->now_ns;
    ls_loader_reset(loader);
    ls_outbox_drop_roots(&client->outbox);
    note_root(client);
    ls_wire_enter(client, LS_CLIENT_PLAYING, "%s",
                  client->accept.player == LS_HANDSHAKE_PLAYER_NONE ? "watching" : "in the match");
}

static void step_loading(ls_client *client)
{
    ls_snapshot_request request;
    if (ls_loader_is_done(&client->loader))
        finish_snapshot(client);
    else
        while (ls_loader_ask(&client->loader, client->now_ns,
                             patience_ns(client, LS_CLIENT_RANGE_NS), &request))
            send_request(client, &request);
}

/* A gap is asked for once, then again only when the answer does not come. */
static void fill_gap(ls_client *client, ls_update *update)
{
    uint64_t first;
    uint32_t count;
    if (!ls_frames_gap(&client->frames, &first, &count))
        return;
    bool is_new = first >= client->gap_end;
    if (!is_new && client->now_ns - client->gap_asked_ns < patience_ns(client, LS_CLIENT_GAP_NS))
        return;
    client->gap_asked_ns = client->now_ns;
    client->gap_end = first + count;
    client->stats.gaps++;
    update->gap_first = first;
    update->gap_count = count;
}

static void send_update(ls_client *client)
{
    ls_update update = {.ack = client->frames.next};
    fill_gap(client, &update);
    ls_outbox_fill(&client->outbox, &update);
    ls_plain plain;
    LS_ASSERT(ls_update_encode(&update, &plain));
    client->update_ns = client->now_ns;
    client->has_news = false;
    ls_wire_send(client, &plain);
}

static void watch_own_seat(ls_client *client, const ls_frame *frame)
{
    if (frame->tick < client->accept.tick)
        return; /* of an earlier holder of the seat */
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind != LS_INPUT && input->player == client->accept.player)
            client->stats.is_playing = input->kind == LS_JOIN;
    }
}

ls_status ls_playing_submit(ls_client *client, const uint8_t *data, uint32_t bytes)
{
    const ls_sim *sim = ls_program_sim(client->program);
    if (!client->stats.is_playing || ls_client_is_final(client))
        return LS_ERROR_REFUSED;
    if (bytes < 1 || bytes > LS_INPUT_BYTES_MAX || !sim->input_is_valid ||
        !sim->input_is_valid(&client->accept.match, client->accept.player, data, bytes))
        return LS_ERROR_USAGE;
    return ls_outbox_submit(&client->outbox, data, bytes) ? LS_OK : LS_ERROR_LIMIT;
}

/* A bot that catches up stays quiet: it would answer ticks that are long over. */
static void play_bot(ls_client *client)
{
    const ls_sim *sim = ls_program_sim(client->program);
    bool is_current = client->frames.head - client->frames.next < LS_TICKS_WINDOW;
    if (!client->is_bot || !sim->bot || !client->stats.is_playing || !is_current)
        return;
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    uint32_t count = sim->bot(client->world, client->accept.player, bytes);
    /* With a full queue the bot loses a turn. */
    if (count)
        (void)!ls_playing_submit(client, bytes, count);
}

/* False when there is no more to run, or the session is over. */
static bool run_tick(ls_client *client)
{
    ls_ticks_body body;
    if (!ls_frames_peek(&client->frames, &body))
        return false;
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, body.data, body.bytes);
    LS_ASSERT(ls_frame_decode(&reader, client->frames.next, client->accept.match.player_count,
                              inputs, &frame));
    ls_error error;
    if (ls_world_advance(client->world, &frame, client->executor, &error) != LS_OK) {
        ls_wire_enter(client, LS_CLIENT_LOST, "tick %llu cannot be run: %s",
                      (unsigned long long)frame.tick, error.text);
        return false;
    }
    watch_own_seat(client, &frame);
    ls_frames_pop(&client->frames);
    client->advanced_ns = client->now_ns;
    note_root(client);
    play_bot(client);
    if (ls_outbox_is_full(&client->outbox))
        send_update(client);
    return !ls_client_is_final(client);
}

static void ping_when_silent(ls_client *client)
{
    if (client->now_ns - client->heard_ns < LS_CLIENT_PING_NS ||
        (client->ping_ns && client->now_ns - client->ping_ns < LS_CLIENT_PING_NS))
        return;
    client->ping_ns = client->now_ns;
    send_request(client, &(ls_snapshot_request){.bytes = 1});
}

static void step_playing(ls_client *client)
{
    for (uint32_t i = 0; i < LS_CLIENT_STEP_TICKS && run_tick(client); i++)
        continue;
    uint64_t behind = client->frames.head - client->frames.next;
    if (behind == 0 && client->frames.next > client->loaded_tick)
        client->tries = 0;
    if (behind > LS_CLIENT_BEHIND_TICKS)
        begin_snapshot(client, "too far behind");
    else if (behind && client->now_ns - client->advanced_ns >= LS_CLIENT_GAP_LOST_NS)
        begin_snapshot(client, "ticks are missing and nobody sends them");
    if (client->state != LS_CLIENT_PLAYING)
        return;
    if (client->has_news || client->now_ns - client->update_ns >= LS_CLIENT_UPDATE_NS)
        send_update(client);
    ping_when_silent(client);
}

void ls_playing_step(ls_client *client)
{
    if (client->state == LS_CLIENT_LOADING)
        step_loading(client);
    if (client->state == LS_CLIENT_PLAYING)
        step_playing(client);
}

uint64_t ls_playing_next_ns(const ls_client *client)
{
    ls_ticks_body body;
    if (client->state == LS_CLIENT_PLAYING && ls_frames_peek(&client->frames, &body))
        return client->now_ns;
    if (client->state == LS_CLIENT_PLAYING &&
        client->update_ns + LS_CLIENT_UPDATE_NS > client->now_ns)
        return client->update_ns + LS_CLIENT_UPDATE_NS;
    return client->now_ns + LS_CLIENT_UPDATE_NS;
}
