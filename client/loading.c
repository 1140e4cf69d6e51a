#include "client/loading.h"

#include "client/confirmed.h"
#include "client/evidence_reply.h"
#include "client/wire.h"
#include "proto/pack.h"

void ls_loading_begin(ls_client *client, uint64_t tick_min, const char *why)
{
    if (++client->tries > LS_CLIENT_SNAPSHOT_TRIES) {
        ls_wire_give_up(client, LS_CLIENT_LOST, "cannot keep up with the match: %s", why);
        return;
    }
    ls_loader_restart(&client->loader, tick_min);
    ls_wire_enter(client, LS_CLIENT_LOADING, "fetching the match again: %s", why);
}

static void enter_playing(ls_client *client)
{
    client->head_since_ns = client->now_ns;
    ls_wire_enter(client, LS_CLIENT_PLAYING, "%s",
                  client->accept.player == LS_HANDSHAKE_PLAYER_NONE ? "watching" : "in the match");
}

/* Whether all that the own world lacks can be had as ticks. */
static bool can_go_on(const ls_client *client, const ls_handshake_accept *before)
{
    uint64_t tick = client->accept.tick, next = client->frames.next;
    return before->epoch == client->accept.epoch && tick >= next &&
           tick - next <= client->behind_max;
}

void ls_loading_enter(ls_client *client, const ls_handshake_accept *before)
{
    client->tries = 0;
    client->advanced_ns = client->now_ns;
    client->gap_asked_ns = client->gap_end = 0;
    client->has_news = true;
    client->is_settled = false;
    ls_outbox_pause(&client->outbox);
    if (before && before->epoch != client->accept.epoch)
        ls_evidence_reply_reset(client);
    if (!before || !client->has_world) {
        ls_loader_restart(&client->loader, 0);
        ls_wire_enter(client, LS_CLIENT_LOADING, "fetching the match");
    } else if (!can_go_on(client, before)) {
        ls_loading_begin(client, 0, "the match went on elsewhere");
    } else if (client->resumed == LS_CLIENT_LOADING) {
        ls_loading_begin(client, client->loader.tick_min, "the session is taken up again");
    } else {
        if (client->accept.tick > client->frames.head)
            client->frames.head = client->accept.tick;
        enter_playing(client);
    }
}

void ls_loading_hear(ls_client *client, const ls_plain *plain)
{
    ls_snapshot_chunk chunk;
    ls_error error;
    if (!ls_snapshot_chunk_decode(plain, &chunk))
        client->stats.packets_dropped++;
    else if (client->state == LS_CLIENT_LOADING &&
             ls_loader_take(&client->loader, &chunk, &error) != LS_OK)
        ls_wire_give_up(client, LS_CLIENT_LOST, "%s", error.text);
}

static ls_status decode(ls_client *client, ls_error *error)
{
    const ls_loader *loader = &client->loader;
    uint8_t *bytes;
    ls_status status =
        ls_unpack(loader->bytes, loader->total_bytes, loader->raw_bytes, &bytes, error);
    if (status == LS_OK)
        status = ls_world_decode(client->world, bytes, loader->raw_bytes, error);
    ls_free(bytes);
    if (status == LS_OK && ls_world_tick(client->world) != loader->tick)
        status = ls_error_set(error, LS_ERROR_CORRUPT, "it is of another tick than announced");
    return status;
}

/* So far back that a server has the ticks in between. */
static uint64_t kept_by_server(const ls_client *client)
{
    uint64_t ticks = client->accept.match.tick_rate * (LS_SERVER_RING_NS / LS_SECOND_NS);
    return ticks > LS_SERVER_RING_TICKS ? ticks : LS_SERVER_RING_TICKS;
}

static void finish(ls_client *client)
{
    ls_error error = {""};
    ls_loader *loader = &client->loader;
    if (decode(client, &error) != LS_OK) {
        ls_wire_give_up(client, LS_CLIENT_LOST, "the server's snapshot cannot be read: %s",
                        error.text);
        return;
    }
    /* A reload may have jumped over the tick of our JOIN, which follows the report of a root. The
     * server takes no input before it. */
    if (client->has_reported && client->accept.player != LS_HANDSHAKE_PLAYER_NONE)
        client->stats.is_playing = true;
    if (client->has_world)
        ls_outbox_skip(&client->outbox, loader->tick + LS_CLIENT_STATE_AHEAD - 1);
    client->has_world = true;
    client->is_settled = true;       /* what may have landed before it was given up */
    client->stats.is_paused = false; /* as far as is known */
    client->stats.snapshots_loaded++;
    client->stats.snapshot_bytes += loader->raw_bytes;
    ls_frames_restart(&client->frames, loader->tick);
    client->loaded_tick = loader->tick;
    client->behind_max = kept_by_server(client); /* until the head is told */
    client->gap_asked_ns = client->gap_end = 0;
    client->advanced_ns = client->now_ns;
    ls_loader_restart(loader, 0);
    ls_outbox_drop_roots(&client->outbox);
    enter_playing(client);
    if (client->loaded)
        client->loaded(client->hook_context);
    ls_confirmed_note_root(client);
}

void ls_loading_run(ls_client *client)
{
    ls_snapshot_request request;
    if (ls_loader_is_done(&client->loader)) {
        finish(client);
        return;
    }
    while (ls_loader_ask(&client->loader, client->now_ns, client->stats.rtt_ns, &request)) {
        ls_plain plain;
        ls_snapshot_request_encode(&request, &plain);
        ls_wire_send(client, &plain);
    }
}
