#include "client/playing.h"

#include "client/confirmed.h"
#include "client/loading.h"
#include "client/receive.h"

/* After a snapshot the client lags by the time that loading took, which is allowed. From then on
 * lag_max follows the least lag plus a margin and never rises, so a client that lags more later
 * exceeds it. */
static void lower_lag_max(ls_playback *playback, uint64_t lag)
{
    uint64_t margin =
        playback->connection->accept.match.tick_rate * (LS_CLIENT_BEHIND_NS / LS_SECOND_NS);
    margin = margin > LS_CLIENT_BEHIND_TICKS ? margin : LS_CLIENT_BEHIND_TICKS;
    bool is_known = playback->head_old_ns == 0;
    if (is_known && lag + margin < playback->lag_max)
        playback->lag_max = lag + margin;
}

static void watch_lag(ls_playback *playback)
{
    uint64_t lag = ls_playback_lag(playback);
    lower_lag_max(playback, lag);
    if (lag == 0 && playback->frames.next > playback->loaded_tick) {
        playback->tries = 0;
        playback->is_timed = true;
    }
    if (ls_playback_is_held(playback))
        playback->advanced_ns = playback->connection->now_ns;
    else if (lag > playback->lag_max)
        ls_loading_begin(playback, 0, "too far behind");
    else if (lag && playback->connection->now_ns - playback->advanced_ns >= LS_CLIENT_GAP_LOST_NS)
        ls_loading_begin(playback, 0, "ticks are missing and the server does not send them");
}

static void run_playing(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    for (uint32_t i = 0; i < playback->step_ticks && ls_confirmed_run(playback); i++)
        continue;
    if (playback->has_end)
        ls_receive_run_end(playback);
    if (playback->has_end || ls_client_state_is_final(connection->state))
        return;
    watch_lag(playback);
    if (connection->state != LS_CLIENT_PLAYING)
        return;
    if (connection->now_ns >= ls_outbox_due_ns(playback->outbox))
        ls_outbox_send(playback->outbox, &playback->frames);
    ls_reporter_run(&playback->outbox->reporter, connection);
    ls_connection_ping(connection, 0);
}

void ls_playing_run(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    if (connection->state == LS_CLIENT_LOADING) {
        ls_loading_run(playback);
        if (connection->state == LS_CLIENT_LOADING)
            ls_connection_ping(connection, playback->loader.has_begun ? playback->loader.tick : 0);
    }
    if (connection->state == LS_CLIENT_PLAYING)
        run_playing(playback);
}

uint64_t ls_playing_next_ns(const ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    if (connection->state == LS_CLIENT_LOADING)
        return connection->now_ns + LS_CLIENT_RANGE_QUICK_NS / 2;
    if (connection->state != LS_CLIENT_PLAYING)
        return connection->now_ns + LS_CLIENT_UPDATE_NS;
    if (ls_playback_is_due(playback))
        return connection->now_ns;
    uint64_t due_ns = ls_outbox_due_ns(playback->outbox);
    return due_ns > connection->now_ns ? due_ns : connection->now_ns + LS_CLIENT_UPDATE_MIN_NS;
}
