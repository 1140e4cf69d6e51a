#include "client/confirmed.h"

#include "client/evidence_reply.h"
#include "client/submit.h"
#include "client/update.h"
#include "client/wire.h"

void ls_confirmed_note_root(ls_client *client)
{
    char what[128];
    if (client->frames.next >= client->corrupt_at && !client->stats.was_corrupted &&
        ls_world_flip_bit(client->world, client->corrupt_pick, what, sizeof what)) {
        client->stats.was_corrupted = true;
        ls_wire_log(client, "corrupted tick=%llu what=\"%s\"",
                    (unsigned long long)client->frames.next, what);
    }
    ls_outbox_add_root(&client->outbox, client->frames.next, ls_evidence_reply_keep(client));
    client->has_news = true;
}

static void see_own(ls_client *client, const ls_input *input, uint64_t tick)
{
    switch (input->kind) {
    case LS_JOIN:
    case LS_LEAVE:
        client->stats.is_playing = input->kind == LS_JOIN;
        /* The session before could give orders until this one took the seat over; the JOIN of this
         * one is behind that. */
        client->is_settled |= input->kind == LS_JOIN && tick >= client->accept.tick;
        break;
    case LS_INPUT:
        ls_outbox_land(&client->outbox, input);
        break;
    case LS_SUBSTITUTE:
        client->stats.substitutes++;
        ls_input_delay_hear_substitute(&client->lead, client->stats.rtt_ns, client->now_ns);
        break;
    default:
        break;
    }
}

static void see_frame(ls_client *client, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
            client->stats.is_paused = input->kind == LS_PAUSE;
        else if (input->player == client->accept.player && frame->tick >= client->seat_tick)
            see_own(client, input, frame->tick); /* not of an earlier holder of the seat */
    }
    if (client->is_settled && client->stats.is_playing)
        ls_outbox_resume(&client->outbox);
}

bool ls_confirmed_run(ls_client *client)
{
    ls_ticks_body body;
    if (client->frames.next >= client->limit_tick || !ls_frames_peek(&client->frames, &body))
        return false;
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_reader_init(&reader, body.data, body.bytes);
    LS_ASSERT(ls_frame_decode(&reader, client->frames.next, client->accept.match.player_count,
                              inputs, &frame));
    ls_error error;
    if (ls_world_advance(client->world, &frame, client->executor, &error) != LS_OK) {
        ls_wire_give_up(client, LS_CLIENT_FAILED, "the simulation failed: %s", error.text);
        return false;
    }
    see_frame(client, &frame);
    ls_evidence_reply_note_frame(client, &frame);
    ls_frames_pop(&client->frames);
    client->advanced_ns = client->now_ns;
    if (client->ran)
        client->ran(client->hook_context, &frame);
    ls_confirmed_note_root(client);
    ls_submit_by_bot(client);
    if (ls_outbox_is_full(&client->outbox))
        ls_update_send(client);
    return !ls_client_is_final(client);
}
