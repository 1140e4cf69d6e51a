#include "client/playing.h"

#include "client/confirmed.h"
#include "client/loading.h"
#include "client/update.h"
#include "client/wire.h"

/* While an answer to the smallest request is all that can come. Who loads a world asks for one of
 * its own: of another he would have to begin again. */
void ls_playing_ping(ls_client *client)
{
    uint64_t since_ns = client->ping_ns ? client->ping_ns + LS_CLIENT_PING_AGAIN_NS
                                        : client->heard_ns + LS_CLIENT_PING_NS;
    if (client->now_ns < since_ns)
        return;
    client->ping_ns = client->now_ns;
    ls_plain plain;
    bool is_loading = client->state == LS_CLIENT_LOADING && client->loader.has_begun;
    ls_snapshot_request_encode(
        &(ls_snapshot_request){.tick = is_loading ? client->loader.tick : 0, .bytes = 1}, &plain);
    ls_wire_send(client, &plain);
}

/* Ticks that are there and may not run yet are no reason to hurry. */
static bool is_held(const ls_client *client)
{
    return client->frames.next >= client->limit_tick;
}

/* Behind a snapshot it is as far behind as that took to come, and may be: but from then on it is to
 * come nearer. */
static void bound_distance(ls_client *client, uint64_t behind)
{
    uint64_t least = client->accept.match.tick_rate * (LS_CLIENT_BEHIND_NS / LS_SECOND_NS);
    least = least > LS_CLIENT_BEHIND_TICKS ? least : LS_CLIENT_BEHIND_TICKS;
    bool is_told = client->head_since_ns == 0;
    if (is_told && behind + least < client->behind_max)
        client->behind_max = behind + least;
}

static void watch_distance(ls_client *client)
{
    uint64_t behind = client->frames.head - client->frames.next;
    bound_distance(client, behind);
    if (behind == 0 && client->frames.next > client->loaded_tick)
        client->tries = 0;
    if (is_held(client))
        client->advanced_ns = client->now_ns;
    else if (behind > client->behind_max)
        ls_loading_begin(client, 0, "too far behind");
    else if (behind && client->now_ns - client->advanced_ns >= LS_CLIENT_GAP_LOST_NS)
        ls_loading_begin(client, 0, "ticks are missing and nobody sends them");
}

static void run_playing(ls_client *client)
{
    for (uint32_t i = 0; i < client->step_ticks && ls_confirmed_run(client); i++)
        continue;
    if (ls_client_is_final(client))
        return;
    watch_distance(client);
    if (client->state != LS_CLIENT_PLAYING)
        return;
    if (client->now_ns >= ls_update_due_ns(client))
        ls_update_send(client);
    ls_playing_ping(client);
}

void ls_playing_run(ls_client *client)
{
    if (client->state == LS_CLIENT_LOADING) {
        ls_loading_run(client);
        if (client->state == LS_CLIENT_LOADING)
            ls_playing_ping(client);
    }
    if (client->state == LS_CLIENT_PLAYING)
        run_playing(client);
}

uint64_t ls_playing_next_ns(const ls_client *client)
{
    ls_ticks_body body;
    if (client->state == LS_CLIENT_LOADING)
        return client->now_ns + LS_CLIENT_RANGE_QUICK_NS / 2;
    if (client->state != LS_CLIENT_PLAYING)
        return client->now_ns + LS_CLIENT_UPDATE_NS;
    if (!is_held(client) && ls_frames_peek(&client->frames, &body))
        return client->now_ns;
    uint64_t due_ns = ls_update_due_ns(client);
    return due_ns > client->now_ns ? due_ns : client->now_ns + LS_CLIENT_UPDATE_LEAST_NS;
}
