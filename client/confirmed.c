#include "client/confirmed.h"

#include "client/submit.h"

void ls_confirmed_note_root(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    char what[128];
    if (playback->frames.next >= playback->corrupt_at && !connection->stats.was_corrupted &&
        ls_world_flip_bit(playback->world, playback->corrupt_pick, what, sizeof what)) {
        connection->stats.was_corrupted = true;
        ls_connection_log(connection, "corrupted tick=%llu what=\"%s\"",
                          (unsigned long long)playback->frames.next, what);
    }
    ls_outbox_add_root(playback->outbox, playback->frames.next,
                       ls_evidence_reply_keep(&playback->evidence, playback->world));
}

static void apply_own(ls_playback *playback, const ls_input *input, uint64_t tick)
{
    ls_connection *connection = playback->connection;
    switch (input->kind) {
    case LS_JOIN:
    case LS_LEAVE:
        playback->is_playing = input->kind == LS_JOIN;
        /* Orders of the previous session may be in any tick before this session took over the seat.
         * This JOIN comes after all those ticks: once it has run, no such order can follow. */
        playback->is_settled |= input->kind == LS_JOIN && tick >= connection->accept.tick;
        break;
    case LS_INPUT:
        ls_order_queue_note_executed(&playback->outbox->orders, input);
        ls_reporter_note_executed(&playback->outbox->reporter, playback->outbox->orders.executed,
                                  tick);
        break;
    case LS_SUBSTITUTE:
        connection->stats.substitutes++;
        ls_input_delay_note_substitute(&playback->outbox->delay, connection->stats.rtt_ns,
                                       connection->now_ns);
        break;
    default:
        break;
    }
}

static void apply_frame(ls_playback *playback, const ls_frame *frame)
{
    bool was_paused = playback->is_paused;
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
            playback->is_paused = input->kind == LS_PAUSE;
        else if (input->player == playback->connection->accept.player &&
                 frame->tick >= playback->seat_tick)
            apply_own(playback, input, frame->tick); /* not an earlier player's inputs */
    }
    if (playback->is_timed)
        ls_tick_timing_note_run(&playback->timing, frame->tick, playback->connection->now_ns);
    if (was_paused != playback->is_paused)
        ls_tick_timing_restart(&playback->timing);
    if (playback->is_settled && playback->is_playing)
        ls_order_queue_resume(&playback->outbox->orders);
}

void ls_confirmed_keep_seat(ls_playback *playback)
{
    if (!playback->kept_tick || playback->frames.next < playback->kept_tick)
        return;
    playback->kept_tick = 0;
    playback->is_playing = playback->is_settled = true;
    ls_order_queue_resume(&playback->outbox->orders);
}

static bool fits_memory(ls_playback *playback)
{
    size_t memory = ls_playback_memory(playback);
    if (memory <= playback->memory_max)
        return true;
    ls_connection_give_up(playback->connection, LS_CLIENT_FAILED,
                          "the world has grown to %zu bytes, the states that are kept of it "
                          "included: more memory than the %llu that are allowed",
                          memory, (unsigned long long)playback->memory_max);
    return false;
}

/* Called when a tick has changed the world: keeps its state as evidence, queues its root, and lets
 * a bot act. */
static void follow_tick(ls_playback *playback, const ls_frame *frame)
{
    ls_evidence_reply_note_frame(&playback->evidence, frame);
    ls_confirmed_note_root(playback);
    ls_submit_by_bot(playback);
}

bool ls_confirmed_run(ls_playback *playback)
{
    ls_connection *connection = playback->connection;
    ls_ticks_body body;
    if (ls_playback_is_held(playback) || !ls_frames_peek(&playback->frames, &body))
        return false;
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, body.data, body.bytes);
    LS_ASSERT(ls_frame_decode(&reader, playback->frames.next, connection->accept.match.player_count,
                              inputs, &frame));
    ls_error error;
    if (!playback->is_light &&
        ls_world_advance(playback->world, &frame, playback->executor, &error) != LS_OK) {
        ls_connection_give_up(connection, LS_CLIENT_FAILED, "the simulation failed: %s",
                              error.text);
        return false;
    }
    if (!fits_memory(playback))
        return false;
    apply_frame(playback, &frame);
    ls_frames_pop(&playback->frames);
    ls_confirmed_keep_seat(playback);
    playback->advanced_ns = connection->now_ns;
    if (playback->ran)
        playback->ran(playback->hook_context, &frame);
    if (!playback->is_light)
        follow_tick(playback, &frame);
    if (ls_root_queue_is_full(&playback->outbox->roots))
        ls_outbox_send(playback->outbox, &playback->frames);
    return !ls_client_state_is_final(connection->state);
}
