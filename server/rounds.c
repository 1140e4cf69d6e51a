#include "server/rounds.h"

#include "server/dialogue.h"
#include "server/sessions.h"

static uint64_t due_ns(const ls_server *server)
{
    uint64_t ticks = server->ring.next - server->epoch_tick + 1;
    return server->epoch_ns + ticks * LS_SECOND_NS / server->match.tick_rate;
}

static void note_recording_failure(ls_server *server, const ls_error *error)
{
    if (server->stats.recording_failed)
        return;
    server->stats.recording_failed = true;
    char reason[LS_JOURNAL_QUOTED_BYTES];
    ls_journal_write(&server->journal, "recording_failed tick=%llu reason=%s",
                     (unsigned long long)server->ring.next, ls_journal_quote(error->text, reason));
}

static void record(ls_server *server, const ls_frame *frame)
{
    if (!server->recorder || server->stats.recording_failed)
        return;
    ls_error error;
    if (ls_recorder_append(server->recorder, frame, ls_world_root(server->world), &error) !=
        LS_OK) {
        note_recording_failure(server, &error);
        return;
    }
    if (server->sync_ticks && ls_recorder_unsynced_ticks(server->recorder) >= server->sync_ticks &&
        ls_recorder_sync(server->recorder, &error) != LS_OK)
        note_recording_failure(server, &error);
}

static void broadcast(ls_server *server, uint64_t now_ns)
{
    for (uint32_t i = 0; i < server->peers_max; i++)
        if (server->sessions[i].phase == LS_SESSION_ACTIVE)
            ls_sessions_send_window(server, &server->sessions[i], now_ns);
    /* Away before the simulation takes its time. */
    ls_link_flush(server->link, now_ns);
}

static void log_events(ls_server *server, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind != LS_INPUT)
            ls_journal_write(&server->journal, "%s tick=%llu player=%u",
                             input->kind == LS_JOIN ? "player_join" : "player_leave",
                             (unsigned long long)frame->tick, input->player);
    }
}

static void count_frame(ls_server *server, const ls_seats_taken *taken, uint32_t bytes)
{
    server->stats.frame_bytes += bytes;
    server->stats.joins += taken->joins;
    server->stats.leaves += taken->leaves;
    server->stats.players += taken->joins;
    server->stats.players -= taken->leaves;
    server->stats.inputs_accepted += taken->inputs;
    server->stats.inputs_late += taken->late;
}

static void close_tick(ls_server *server, uint64_t now_ns)
{
    ls_frame frame;
    ls_seats_taken taken;
    ls_seats_build(&server->seats, server->ring.next, &frame, &taken);
    record(server, &frame);
    count_frame(server, &taken, ls_tick_ring_push(&server->ring, &frame));
    log_events(server, &frame);
    broadcast(server, now_ns);
    ls_error error;
    if (ls_world_advance(server->world, &frame, server->executor, &error) != LS_OK) {
        char reason[LS_JOURNAL_QUOTED_BYTES];
        ls_journal_write(&server->journal, "advance_failed tick=%llu reason=%s",
                         (unsigned long long)frame.tick, ls_journal_quote(error.text, reason));
        ls_rounds_end(server, LS_CLOSING_FAILED, now_ns);
        return;
    }
    ls_referee_push(&server->referee, ls_world_root(server->world));
}

static uint32_t ready_players(const ls_server *server)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < server->match.player_count; i++)
        count += server->seats.items[i].wants_join;
    return count;
}

static void begin_when_ready(ls_server *server, uint64_t now_ns)
{
    if (ready_players(server) < server->wait_players)
        return;
    server->state = LS_SERVER_RUNNING;
    server->epoch_ns = now_ns;
    server->epoch_tick = server->ring.next;
    ls_journal_write(&server->journal, "start tick=%llu players=%u rate=%u",
                     (unsigned long long)server->ring.next, ready_players(server),
                     server->match.tick_rate);
}

/* A schedule that cannot be kept moves: nobody is served by a burst of old ticks. */
static void skip_schedule(ls_server *server, uint64_t now_ns)
{
    uint64_t period = LS_SECOND_NS / server->match.tick_rate;
    uint64_t skipped = (now_ns - due_ns(server)) / period + 1;
    server->stats.ticks_skipped += skipped;
    server->epoch_ns = now_ns;
    server->epoch_tick = server->ring.next;
    ls_journal_write_limited(&server->journal, now_ns, "schedule_skipped tick=%llu places=%llu",
                             (unsigned long long)server->ring.next, (unsigned long long)skipped);
}

void ls_rounds_run(ls_server *server, uint64_t now_ns)
{
    if (server->state == LS_SERVER_WAITING)
        begin_when_ready(server, now_ns);
    for (uint32_t i = 0; server->state == LS_SERVER_RUNNING && due_ns(server) <= now_ns; i++) {
        if (i == LS_SERVER_CATCH_UP_TICKS) {
            skip_schedule(server, now_ns);
            break;
        }
        server->stats.lateness_ns = now_ns - due_ns(server);
        close_tick(server, now_ns);
        if (server->ticks_max && server->ring.next >= server->ticks_max)
            ls_rounds_end(server, LS_CLOSING_FINISHED, now_ns);
    }
    if (server->state == LS_SERVER_RUNNING && server->end_when_empty && server->had_session &&
        server->stats.sessions == 0)
        ls_rounds_end(server, LS_CLOSING_ABANDONED, now_ns);
}

static bool is_slow(const ls_server *server)
{
    return server->state >= LS_SERVER_ENDING || server->match.tick_rate < 60;
}

static bool lacks_ticks(const ls_server *server, const ls_session *session)
{
    return session->phase == LS_SESSION_ACTIVE && session->wants_ticks &&
           session->ack < server->ring.next;
}

void ls_rounds_repeat(ls_server *server, uint64_t now_ns)
{
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_session *session = &server->sessions[i];
        if (session->phase != LS_SESSION_ACTIVE || !ls_dialogue_judge(server, session, now_ns))
            continue;
        if (is_slow(server) && lacks_ticks(server, session) &&
            now_ns - session->sent_ns >= LS_SERVER_RESEND_NS)
            ls_sessions_send_window(server, session, now_ns);
    }
}

void ls_rounds_end(ls_server *server, ls_closing_reason reason, uint64_t now_ns)
{
    if (server->state >= LS_SERVER_ENDING)
        return;
    server->state = LS_SERVER_ENDING;
    server->end_ns = server->told_ns = now_ns;
    uint64_t root = ls_world_root(server->world);
    ls_error error;
    if (server->recorder && !server->stats.recording_failed &&
        ls_recorder_finish(server->recorder, root, reason, &error) != LS_OK)
        note_recording_failure(server, &error);
    ls_journal_write(&server->journal, "end tick=%llu root=%016llx reason=%s",
                     (unsigned long long)server->ring.next, (unsigned long long)root,
                     ls_closing_reason_name((uint8_t)reason));
}

/* Whether the server's last root tells this client nothing that it has not said itself. */
static bool has_everything(const ls_server *server, const ls_session *session)
{
    return session->referee.has_diverged || (session->ack == server->ring.next &&
                                             session->referee.right_next == server->ring.next + 1);
}

void ls_rounds_farewell(ls_server *server, uint64_t now_ns)
{
    if (server->state != LS_SERVER_ENDING)
        return;
    bool is_late = now_ns - server->end_ns >= LS_SERVER_LINGER_NS;
    ls_notice notice = {.kind = LS_NOTICE_END,
                        .tick = server->ring.next,
                        .server_root = ls_world_root(server->world)};
    bool is_empty = true;
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_session *session = &server->sessions[i];
        if (session->phase == LS_SESSION_FREE)
            continue;
        is_empty = false;
        server->told_ns = now_ns;
        if (session->phase == LS_SESSION_ACTIVE && (is_late || has_everything(server, session)))
            ls_sessions_dismiss(server, session, &notice, now_ns);
        else if (is_late)
            ls_sessions_end(server, session, "the match is over", now_ns);
    }
    if (is_empty && (!server->had_session || now_ns - server->told_ns >= LS_SERVER_FAREWELL_NS))
        server->state = LS_SERVER_ENDED;
}

uint64_t ls_rounds_next_ns(const ls_server *server, uint64_t now_ns)
{
    if (server->state == LS_SERVER_ENDED)
        return UINT64_MAX;
    uint64_t next = now_ns + LS_SERVER_IDLE_STEP_NS;
    if (server->state == LS_SERVER_RUNNING && due_ns(server) < next)
        next = due_ns(server);
    for (uint32_t i = 0; is_slow(server) && i < server->peers_max; i++) {
        const ls_session *session = &server->sessions[i];
        uint64_t repeat = session->sent_ns + LS_SERVER_RESEND_NS;
        if (lacks_ticks(server, session) && repeat < next)
            next = repeat;
    }
    return next > now_ns ? next : now_ns;
}
