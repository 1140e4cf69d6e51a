#include "client/playback.h"

#include "core/schema/match_equal.h"

void ls_playback_init(ls_playback *playback, ls_connection *connection, ls_outbox *outbox,
                      const ls_client_config *config)
{
    *playback = (ls_playback){.connection = connection,
                              .outbox = outbox,
                              .program = config->program,
                              .executor = config->executor,
                              .is_bot = config->is_bot,
                              .is_spectator = config->is_spectator,
                              .is_light = config->is_light,
                              .step_ticks = config->step_ticks,
                              .memory_max = config->memory_max,
                              .tick_rate_max = config->tick_rate_max,
                              .players_max = config->players_max,
                              .corrupt_at = config->corrupt_at,
                              .corrupt_pick = config->corrupt_pick,
                              .ran = config->ran,
                              .loaded = config->loaded,
                              .hook_context = config->hook_context,
                              .limit_tick = LS_TICK_NEVER};
    ls_frames_init(&playback->frames);
    ls_loader_init(&playback->loader, config->memory_max);
    ls_evidence_reply_init(&playback->evidence, connection, config);
}

void ls_playback_reset(ls_playback *playback)
{
    ls_loader_reset(&playback->loader);
    ls_frames_reset(&playback->frames);
    ls_evidence_reply_reset(&playback->evidence);
    ls_world_destroy(playback->world);
    playback->world = NULL;
}

static ls_status check_limits(const ls_playback *playback, const ls_match *match, ls_error *error)
{
    if (match->tick_rate > playback->tick_rate_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "it has %u ticks a second, more than the %u that are allowed",
                            match->tick_rate, playback->tick_rate_max);
    if (match->player_count > playback->players_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "it has %u seats, more than the %u that are allowed",
                            match->player_count, playback->players_max);
    return LS_OK;
}

static ls_status take_match(ls_playback *playback, const ls_match *match, ls_error *error)
{
    ls_status status = check_limits(playback, match, error);
    if (status == LS_OK)
        status = playback->is_light ? ls_program_check_match(playback->program, match, error)
                                    : ls_world_create_for_snapshot(playback->program, match,
                                                                   &playback->world, error);
    playback->has_match = status == LS_OK;
    return status;
}

bool ls_playback_prepare(ls_playback *playback, const ls_handshake_accept *accept)
{
    ls_connection *connection = playback->connection;
    const ls_match *match = &accept->match;
    bool has_seat = accept->player != LS_HANDSHAKE_PLAYER_NONE;
    ls_error error = {""};
    if (has_seat && (accept->player >= match->player_count || playback->is_spectator))
        ls_connection_enter(connection, LS_CLIENT_LOST, "the server gave an invalid seat");
    else if (playback->has_match && !ls_match_equal(&connection->accept.match, match))
        ls_connection_enter(connection, LS_CLIENT_LOST, "the server runs another match now");
    else if (!playback->has_match && take_match(playback, match, &error) != LS_OK)
        ls_connection_refuse(connection, LS_ERROR_REFUSED, "the server's match is not accepted: %s",
                             error.text);
    return !ls_client_state_is_final(connection->state);
}

void ls_playback_take_seat(ls_playback *playback, const ls_handshake_accept *before)
{
    ls_outbox *outbox = playback->outbox;
    const ls_handshake_accept *accept = &playback->connection->accept;
    bool is_same = before && accept->player == before->player;
    playback->kept_tick = 0;
    playback->has_end = false;
    playback->is_barred = false; /* the server judges each session anew */
    if (!is_same) {
        playback->seat_tick = accept->tick;
        ls_order_queue_drop(&outbox->orders);
    }
    /* A new epoch begins with the LEAVE of each player without a kept seat, and may close lost
     * ticks again. So the client is not in play until a JOIN or KEPT comes, and may submit states
     * for these ticks again. */
    if (!is_same || accept->epoch != before->epoch) {
        playback->is_playing = outbox->has_reported = false;
        ls_state_inputs_init(&outbox->states, ls_program_sim(playback->program)->state_bytes);
    }
    /* A server that resumed from its recording may be at an earlier tick than our JOIN: the seat is
     * ours from there on. */
    if (accept->tick < playback->seat_tick)
        playback->seat_tick = accept->tick;
    playback->connection->stats.player = accept->player;
    ls_outbox_restart(outbox, accept->player == LS_HANDSHAKE_PLAYER_NONE);
    if (!before) {
        ls_input_delay_init(&outbox->delay, accept->match.tick_rate);
        ls_tick_timing_init(&playback->timing, accept->match.tick_rate);
    }
}

bool ls_playback_is_held(const ls_playback *playback)
{
    bool is_lifted = playback->has_end && playback->end_lifts_limit;
    return playback->frames.next >= playback->limit_tick && !is_lifted;
}

bool ls_playback_is_due(const ls_playback *playback)
{
    ls_ticks_body body;
    return !ls_playback_is_held(playback) && ls_frames_peek(&playback->frames, &body);
}

uint64_t ls_playback_lag(const ls_playback *playback)
{
    return playback->frames.head - playback->frames.next;
}

size_t ls_playback_memory(const ls_playback *playback)
{
    return playback->world
               ? ls_world_memory(playback->world) + ls_evidence_reply_memory(&playback->evidence)
               : 0;
}
