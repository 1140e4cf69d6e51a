#include "client/loading.h"

#include "client/confirmed.h"
#include "proto/pack.h"

static void enter_playing(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    playback->head_old_ns = connection->now_ns;
    ls_connection_enter(connection, LS_CLIENT_PLAYING, "%s",
                        connection->accept.player == LS_HANDSHAKE_PLAYER_NONE ? "watching"
                                                                              : "in the match");
}

/* The number of ticks before its head that a server keeps. */
static uint64_t kept_by_server(const ls_playback *playback)
{
    uint64_t ticks =
        playback->connection->accept.match.tick_rate * (LS_SERVER_RING_NS / LS_SECOND_NS);
    return ticks > LS_SERVER_RING_TICKS ? ticks : LS_SERVER_RING_TICKS;
}

/* Continues at `tick`: the client has the world before that tick, or is light. */
static void go_on_at(ls_playback *playback, uint64_t tick)
{
    ls_connection *connection = playback->connection;
    /* A reload may have jumped over our JOIN, which the server issues after the first reported
     * root, or after the first UPDATE of a light client. So a client that has reported counts as
     * playing, unless a desync bars it from a JOIN. */
    bool has_reported = playback->is_light ? playback->has_begun : playback->outbox->has_reported;
    if (has_reported && !playback->is_barred &&
        connection->accept.player != LS_HANDSHAKE_PLAYER_NONE)
        playback->is_playing = true;
    if (playback->has_begun)
        ls_order_queue_skip(&playback->outbox->orders, tick + LS_CLIENT_STATE_AHEAD - 1);
    playback->has_begun = true;
    playback->is_settled = true; /* orders that may be in frames never seen were given up */
    playback->is_paused = false; /* until a frame pauses it */
    ls_frames_restart(&playback->frames, tick);
    playback->loaded_tick = tick;
    playback->is_timed = false;
    playback->lag_max = kept_by_server(playback); /* an upper limit until TICKS tell the head */
    ls_outbox_forget_gap(playback->outbox);
    playback->advanced_ns = connection->now_ns;
    ls_root_queue_drop(&playback->outbox->roots);
    ls_confirmed_keep_seat(playback);
    enter_playing(playback);
}

/* Begins a download. The world that the snapshot replaces stays in memory until then, so it counts
 * against the limit. */
static void restart_loader(ls_playback *playback, uint64_t tick_min)
{
    ls_loader_restart(&playback->loader, tick_min, ls_playback_memory(playback));
}

void ls_loading_begin(ls_playback *playback, uint64_t tick_min, const char *why)
{
    if (playback->is_light) {
        go_on_at(playback, tick_min ? tick_min : playback->frames.head);
        return;
    }
    if (++playback->tries > LS_CLIENT_SNAPSHOT_TRIES) {
        ls_connection_give_up(playback->connection, LS_CLIENT_LOST,
                              "cannot keep up with the match: %s", why);
        return;
    }
    restart_loader(playback, tick_min);
    ls_connection_enter(playback->connection, LS_CLIENT_LOADING, "fetching the match again: %s",
                        why);
}

/* Whether the client keeps its world: the epoch is the same, the world has run no tick that the
 * server has not closed, and the missed ticks are within the lag limit, so the server still has
 * them. */
static bool can_go_on(const ls_playback *playback, const ls_handshake_accept *before)
{
    uint64_t tick = playback->connection->accept.tick, next = playback->frames.next;
    return before->epoch == playback->connection->accept.epoch && tick >= next &&
           tick - next <= playback->lag_max;
}

void ls_loading_enter(ls_playback *playback, const ls_handshake_accept *before)
{
    ls_connection *connection = playback->connection;
    ls_playback_take_seat(playback, before);
    playback->tries = 0;
    playback->advanced_ns = connection->now_ns;
    ls_outbox_forget_gap(playback->outbox);
    playback->outbox->is_urgent = true;
    playback->is_settled = false;
    ls_order_queue_pause(&playback->outbox->orders);
    if (before && before->epoch != connection->accept.epoch)
        ls_evidence_reply_reset(&playback->evidence);
    if (playback->is_light && (!playback->has_begun || !can_go_on(playback, before))) {
        go_on_at(playback, connection->accept.tick);
    } else if (!before || !playback->has_begun) {
        restart_loader(playback, 0);
        ls_connection_enter(connection, LS_CLIENT_LOADING, "fetching the match");
    } else if (!can_go_on(playback, before)) {
        ls_loading_begin(playback, 0, "the match continued elsewhere");
    } else if (connection->resumed == LS_CLIENT_LOADING) {
        ls_loading_begin(playback, playback->loader.tick_min, "the session is resumed");
    } else {
        if (connection->accept.tick > playback->frames.head)
            playback->frames.head = connection->accept.tick;
        enter_playing(playback);
    }
}

void ls_loading_receive(ls_playback *playback, const ls_plain *plain)
{
    ls_connection *connection = playback->connection;
    ls_snapshot_chunk chunk;
    ls_error error;
    if (!ls_snapshot_chunk_decode(plain, &chunk))
        connection->stats.packets_dropped++;
    else if (connection->state == LS_CLIENT_LOADING &&
             ls_loader_take(&playback->loader, &chunk, &error) != LS_OK)
        ls_connection_give_up(connection, LS_CLIENT_LOST, "%s", error.text);
}

/* Reads the snapshot into the world. The states that are kept as evidence use memory too, so the
 * world may use only the rest. */
static ls_status decode_world(ls_playback *playback, const uint8_t *bytes, ls_error *error)
{
    size_t kept = ls_evidence_reply_memory(&playback->evidence);
    size_t left = playback->memory_max > kept ? (size_t)(playback->memory_max - kept) : 1;
    ls_world_set_memory_max(playback->world, left);
    ls_status status = ls_world_decode(playback->world, bytes, playback->loader.raw_bytes, error);
    if (status == LS_ERROR_LIMIT)
        ls_error_set(error, status,
                     "its world takes more memory than the %llu bytes that are allowed",
                     (unsigned long long)playback->memory_max);
    return status;
}

static ls_status decode(ls_playback *playback, ls_error *error)
{
    ls_loader *loader = &playback->loader;
    uint8_t *bytes;
    ls_status status =
        ls_unpack(loader->bytes, loader->total_bytes, loader->raw_bytes, &bytes, error);
    ls_loader_drop_bytes(loader);
    if (status == LS_OK)
        status = decode_world(playback, bytes, error);
    ls_free(bytes);
    if (status == LS_OK && ls_world_tick(playback->world) != loader->tick)
        status = ls_error_set(error, LS_ERROR_CORRUPT, "it is of another tick than announced");
    return status;
}

static void finish(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    ls_error error = {""};
    ls_loader *loader = &playback->loader;
    if (decode(playback, &error) != LS_OK) {
        ls_connection_give_up(connection, LS_CLIENT_LOST,
                              "the server's snapshot cannot be read: %s", error.text);
        return;
    }
    connection->stats.snapshots_loaded++;
    connection->stats.snapshot_bytes += loader->raw_bytes;
    go_on_at(playback, loader->tick);
    restart_loader(playback, 0);
    if (playback->loaded)
        playback->loaded(playback->hook_context);
    ls_confirmed_note_root(playback);
}

void ls_loading_run(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    ls_snapshot_request request;
    if (ls_loader_is_done(&playback->loader)) {
        finish(playback);
        return;
    }
    while (
        ls_loader_ask(&playback->loader, connection->now_ns, connection->stats.rtt_ns, &request)) {
        ls_plain plain;
        ls_snapshot_request_encode(&request, &plain);
        ls_connection_send(connection, &plain);
    }
}
