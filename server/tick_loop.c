#include "server/tick_loop.h"

#include "core/base/fault_injection.h"
#include "server/desync_inquiry.h"
#include "server/room_recording.h"
#include "server/session_messages.h"
#include "server/sessions.h"
#include <lockstep/conduct_limits.h>

#include <stdio.h>
#include <string.h>

/* Rooms close their ticks so far apart, or together. */
#define PLACE_NS (LS_SECOND_NS / 250)

static uint64_t due_ns(const ls_room *room)
{
    uint64_t ticks = room->ring.next - room->epoch_tick + 1;
    return room->epoch_ns + ticks * LS_SECOND_NS / room->match.tick_rate;
}

static void collect_roots(ls_room *room, uint64_t now_ns)
{
    ls_driver *driver = &room->driver;
    room->simulated_ns = now_ns;
    for (uint32_t i = 0; i < driver->done; i++) {
        ls_referee_push(&room->referee, driver->roots[i]);
        ls_room_record_root(room, driver->roots[i]);
    }
    for (ls_session *session = room->sessions, *next; driver->done && session; session = next) {
        next = session->next; /* one that ends leaves the list; here and below */
        ls_session_messages_settle(session, now_ns);
    }
    if (driver->snapshot && room->sessions)
        ls_snapshot_cache_pack(&room->snapshots, room->server->jobs, driver->snapshot);
    else
        ls_driver_discard(driver, driver->snapshot);
    driver->snapshot = NULL;
    ls_room_record_world(room);
    if (driver->status == LS_OK)
        return;
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    ls_event_log_write(&room->journal, "advance_failed tick=%llu reason=%s",
                       (unsigned long long)(room->referee.next - 1),
                       ls_event_log_quote(driver->error.text, reason));
    ls_tick_loop_end(room, LS_CLOSING_FAILED, driver->error.text, now_ns);
}

static void collect_snapshot(ls_room *room, uint64_t now_ns)
{
    ls_snapshot *snapshot = ls_snapshot_cache_take(&room->snapshots, now_ns);
    if (!snapshot)
        return;
    room->stats.snapshots_encoded = room->snapshots.encoded;
    ls_driver_discard(&room->driver, snapshot);
    for (ls_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        ls_session_messages_serve_snapshot(session, now_ns);
    }
}

void ls_tick_loop_collect(ls_room *room, uint64_t now_ns)
{
    if (ls_driver_take(&room->driver))
        collect_roots(room, now_ns);
    ls_room_evidence_step(room, now_ns);
    collect_snapshot(room, now_ns);
    ls_room_record_collect(room);
}

/* Ticks go out in parts: the first must not wait until the last is sealed. Each part is twice the
 * one before, because a flush looks at every connection. */
#define FLUSH_SESSIONS 64

static void broadcast(ls_room *room, uint64_t now_ns)
{
    uint32_t left = FLUSH_SESSIONS, part = FLUSH_SESSIONS;
    for (ls_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        ls_sessions_send_window(session, now_ns);
        if (--left)
            continue;
        ls_link_flush(room->server->link, now_ns);
        left = part *= 2;
    }
}

static void log_events(ls_room *room, const ls_frame *frame)
{
    static const char *const names[] = {[LS_JOIN] = "player_join",
                                        [LS_LEAVE] = "player_leave",
                                        [LS_PAUSE] = "pause",
                                        [LS_RESUME] = "resume"};
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind < LS_COUNT_OF(names) && names[input->kind])
            ls_event_log_write(&room->journal, "%s tick=%llu player=%u", names[input->kind],
                               (unsigned long long)frame->tick, input->player);
    }
}

static void count_frame(ls_room *room, const ls_seats_taken *taken, uint32_t bytes)
{
    ls_room_stats *stats = &room->stats;
    stats->frame_bytes += bytes;
    stats->joins += taken->joins;
    stats->leaves += taken->leaves;
    stats->players += taken->joins;
    stats->players -= taken->leaves;
    stats->inputs_accepted += taken->inputs;
    stats->inputs_late += taken->late;
    stats->states_accepted += taken->states;
    stats->states_substituted += taken->substitutes;
}

/* The event of the whole match that the next tick carries. */
static ls_seats_event take_event(ls_room *room, uint64_t now_ns)
{
    ls_seats_event event = {.kind = LS_INPUT, .player = room->pause_player};
    if (room->is_paused && !room->wants_pause)
        event.kind = LS_RESUME;
    else if (!room->is_paused && room->wants_pause) {
        event.kind = LS_PAUSE;
        room->paused_ns = now_ns;
    }
    room->is_paused = room->wants_pause;
    return event;
}

static void close_tick(ls_room *room, uint64_t now_ns)
{
    ls_frame frame;
    ls_seats_taken taken;
    ls_seats_build(&room->seats, room->ring.next, take_event(room, now_ns), &frame, &taken);
    ls_room_record_frame(room, &frame);
    count_frame(room, &taken, ls_tick_ring_push(&room->ring, &frame));
    log_events(room, &frame);
    broadcast(room, now_ns);
    room->repeat_ns = now_ns + LS_SERVER_RESEND_NS;
}

static uint32_t ready_players(const ls_room *room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < room->match.player_count; i++)
        count += room->seats.items[i].wants_join;
    return count;
}

/* Rooms take turns within a period, so that what they send and simulate is spread evenly; those of
 * one place share a step. Returns a moment of this room that is not later than `now_ns`. */
static uint64_t phase_ns(const ls_room *room, uint64_t now_ns)
{
    uint64_t period = LS_SECOND_NS / room->match.tick_rate;
    uint64_t places = period / PLACE_NS ? period / PLACE_NS : 1;
    /* Multiples of the golden section fall evenly, however many there are. */
    uint64_t place = ((room->number * UINT64_C(2654435769)) & UINT32_MAX) * places >> 32;
    uint64_t start = now_ns - now_ns % period + place * (period / places);
    return start > now_ns ? start - period : start;
}

static void begin_schedule(ls_room *room, uint64_t now_ns)
{
    room->epoch_ns = room->server->room_count > 1 ? phase_ns(room, now_ns) : now_ns;
    room->epoch_tick = room->ring.next;
}

static void begin_when_ready(ls_room *room, uint64_t now_ns)
{
    if (ready_players(room) < room->wait_players)
        return;
    room->state = LS_ROOM_RUNNING;
    begin_schedule(room, now_ns);
    ls_event_log_write(&room->journal, "start tick=%llu players=%u rate=%u",
                       (unsigned long long)room->ring.next, ready_players(room),
                       room->match.tick_rate);
}

/* A schedule that cannot be kept moves: nobody is served by a burst of old ticks. */
static void skip_schedule(ls_room *room, uint64_t now_ns)
{
    uint64_t period = LS_SECOND_NS / room->match.tick_rate;
    uint64_t skipped = (now_ns - due_ns(room)) / period + 1;
    room->stats.ticks_skipped += skipped;
    room->epoch_ns = now_ns;
    room->epoch_tick = room->ring.next;
    ls_event_log_write_limited(&room->journal, now_ns, "schedule_skipped tick=%llu places=%llu",
                               (unsigned long long)room->ring.next, (unsigned long long)skipped);
}

/* Under LS_ROOM_WAIT: a player of the stream who lacks a state for this tick, or is so far back
 * that he would see it late. Without a session he is nobody: his LEAVE is on its way. */
static ls_session *find_holder(const ls_room *room)
{
    uint64_t window = room->match.tick_rate / 4 + 2;
    if (room->policy != LS_ROOM_WAIT && !LS_FAULT(LAGGARD_HOLDS))
        return NULL;
    for (ls_session *session = room->sessions; session; session = session->next) {
        if (session->seat == LS_SEAT_NONE || !room->seats.items[session->seat].is_in_stream)
            continue;
        if (session->ack + window < room->ring.next ||
            !ls_seats_is_ready(&room->seats, session->seat, room->ring.next))
            return session;
    }
    return NULL;
}

/* No tick will come that carries what was lost: from now on it is repeated, also in a room whose
 * sessions were looked at while one was still to come. */
static void begin_repeating(ls_room *room, uint64_t now_ns)
{
    uint64_t latest_ns = now_ns + LS_SERVER_RESEND_NS;
    room->repeat_ns = room->repeat_ns < latest_ns ? room->repeat_ns : latest_ns;
}

/* The match stands still because somebody wants it. A player's wish holds for a while. */
static bool is_standing(ls_room *room, uint64_t now_ns)
{
    bool is_players = room->pause_player < room->match.player_count;
    if (room->is_paused && is_players && now_ns - room->paused_ns >= LS_SERVER_PAUSE_NS)
        ls_sessions_end_pause(room);
    return room->is_paused && room->wants_pause;
}

/* The tick that is due waits: its schedule begins anew when it is let go. True while it waits. Who
 * holds it for too long is sent away: he may be there and do nothing. Who is not there falls silent
 * before that, and may come back. */
static bool hold_tick(ls_room *room, uint64_t now_ns)
{
    bool stands = is_standing(room, now_ns);
    ls_session *holder = stands ? NULL : find_holder(room);
    if (stands || holder) {
        room->stats.ticks_held += holder && !room->held_since_ns;
        if (!room->held_since_ns)
            begin_repeating(room, now_ns);
        if (!room->held_since_ns || stands)
            room->held_since_ns = now_ns;
        if (holder && now_ns - room->held_since_ns >= LS_SERVER_HOLD_NS)
            ls_sessions_kick(holder, "the others have waited for it too long", now_ns);
        return true;
    }
    if (room->held_since_ns) {
        room->held_since_ns = 0;
        uint64_t period = LS_SECOND_NS / room->match.tick_rate;
        room->epoch_ns = now_ns - period;
        room->epoch_tick = room->ring.next;
    }
    return false;
}

static void watch_lag(ls_room *room, uint64_t now_ns)
{
    uint64_t behind = room->ring.next - (room->referee.next - 1);
    if (behind <= room->lag_ticks_max)
        return;
    char why[LS_REASON_BYTES];
    snprintf(why, sizeof why, "the simulation is %llu ticks behind; %u are allowed",
             (unsigned long long)behind, room->lag_ticks_max);
    ls_tick_loop_end(room, LS_CLOSING_FAILED, why, now_ns);
}

/* Nobody is there any more, or nobody ever came of those for whom the room was made. */
static bool is_left(const ls_room *room, uint64_t now_ns)
{
    if (room->sessions)
        return false;
    if (room->had_session)
        return room->end_when_empty;
    return room->is_on_request && now_ns - room->opened_ns >= LS_SERVER_UNUSED_NS;
}

void ls_tick_loop_run(ls_room *room, uint64_t now_ns)
{
    if (!room->opened_ns)
        room->opened_ns = now_ns;
    /* Taken up again behind its last tick. */
    if (room->state < LS_ROOM_ENDING && room->ticks_max && room->ring.next >= room->ticks_max)
        ls_tick_loop_end(room, LS_CLOSING_FINISHED, "", now_ns);
    if (room->state == LS_ROOM_WAITING)
        begin_when_ready(room, now_ns);
    for (uint32_t i = 0; room->state == LS_ROOM_RUNNING && due_ns(room) <= now_ns; i++) {
        if (hold_tick(room, now_ns))
            break;
        if (i == LS_SERVER_CATCH_UP_TICKS) {
            skip_schedule(room, now_ns);
            break;
        }
        room->stats.lateness_ns = now_ns - due_ns(room);
        close_tick(room, now_ns);
        if (room->ticks_max && room->ring.next >= room->ticks_max)
            ls_tick_loop_end(room, LS_CLOSING_FINISHED, "", now_ns);
        watch_lag(room, now_ns);
    }
    if (room->state < LS_ROOM_ENDING && is_left(room, now_ns))
        ls_tick_loop_end(room, LS_CLOSING_ABANDONED, "", now_ns);
}

static void note_failure(ls_room *room)
{
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    room->stats.ended_by = LS_CLOSING_FAILED;
    room->server->stats.rooms_failed++;
    ls_event_log_write(&room->journal, "room_failed tick=%llu simulated=%llu reason=%s",
                       (unsigned long long)room->ring.next,
                       (unsigned long long)(room->referee.next - 1),
                       ls_event_log_quote(room->end_reason, reason));
}

/* One that has failed, or is to stop, has no time for a world that lags behind; any other has as
 * much as the simulation comes on in. */
static bool is_waited_for(const ls_room *room, uint64_t now_ns)
{
    uint64_t since_ns = room->drained_ns > room->end_ns ? room->drained_ns : room->end_ns;
    if (room->drained_ns || room->stats.ended_by == LS_CLOSING_FAILED)
        return now_ns - since_ns < LS_SERVER_LINGER_NS;
    if (room->simulated_ns > since_ns)
        since_ns = room->simulated_ns;
    return now_ns - since_ns < LS_SERVER_LAG_NS;
}

/* The match ends without its last state. A job that hangs keeps what it works on: see leave() in
 * room.c. */
static void give_up_world(ls_room *room)
{
    ls_job_fate fate = ls_job_abandon(room->server->jobs, &room->driver.job);
    if (fate == LS_JOB_HAS_RUN)
        return;
    room->is_lost = fate == LS_JOB_LOST;
    ls_event_log_write(&room->journal, "world_given_up simulated=%llu thread=%s",
                       (unsigned long long)(room->referee.next - 1),
                       room->is_lost ? "lost" : "free");
    if (room->has_final_root || room->stats.ended_by == LS_CLOSING_FAILED)
        return;
    snprintf(room->end_reason, sizeof room->end_reason,
             "the simulation is %llu ticks behind and does not come to its end",
             (unsigned long long)(room->ring.next - (room->referee.next - 1)));
    note_failure(room);
}

/* The world's last root is there, or will never be. */
static void finish(ls_room *room, uint64_t now_ns)
{
    if (!room->is_lost && ls_job_is_busy(&room->driver.job) && !is_waited_for(room, now_ns))
        give_up_world(room);
    bool is_simulated = room->referee.next == room->ring.next + 1;
    if (room->has_final_root || (!room->is_lost && ls_job_is_busy(&room->driver.job)) ||
        (!is_simulated && room->stats.ended_by != LS_CLOSING_FAILED &&
         room->driver.status == LS_OK))
        return;
    room->has_final_root = true;
    room->final_root = room->referee.roots[(room->referee.next - 1) % LS_SERVER_ROOTS];
    ls_room_record_finish(room, room->stats.ended_by);
    ls_event_log_write(&room->journal, "end tick=%llu root=%016llx reason=%s",
                       (unsigned long long)room->ring.next, (unsigned long long)room->final_root,
                       ls_closing_reason_name((uint8_t)room->stats.ended_by));
}

void ls_tick_loop_submit(ls_room *room, uint64_t now_ns)
{
    bool is_failed = room->state >= LS_ROOM_ENDING && room->stats.ended_by == LS_CLOSING_FAILED;
    bool wants_snapshot = room->sessions && ls_snapshot_cache_is_due(&room->snapshots, now_ns);
    uint32_t wishes = (wants_snapshot ? LS_DRIVER_SNAPSHOT : 0) |
                      (ls_room_record_wants_keyframe(room) ? LS_DRIVER_KEYFRAME : 0);
    if (!is_failed)
        ls_room_evidence_submit(room);
    if (!is_failed)
        ls_driver_submit(&room->driver, room->server->jobs, &room->ring, ls_room_record_stop(room),
                         wishes);
    /* Without threads, or when it is quicker than to wake one, it is done already. */
    ls_flag_lower(room->flag);
    ls_tick_loop_collect(room, now_ns);
    if (room->state >= LS_ROOM_ENDING)
        finish(room, now_ns);
    else
        ls_room_record_sync(room);
}

static bool is_slow(const ls_room *room)
{
    return room->state >= LS_ROOM_ENDING || room->match.tick_rate < 60 || room->held_since_ns;
}

static bool lacks_ticks(const ls_room *room, const ls_session *session)
{
    return session->wants_ticks && session->ack < room->ring.next;
}

void ls_tick_loop_repeat(ls_room *room, uint64_t now_ns)
{
    if (now_ns < room->repeat_ns)
        return;
    uint64_t soonest_ns = now_ns + LS_SERVER_RESEND_NS, next_ns = UINT64_MAX;
    bool is_repeating = is_slow(room);
    for (ls_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        if (!ls_session_messages_judge(session, now_ns))
            continue;
        if (session->referee.is_suspect || session->awaits_sentence)
            next_ns = soonest_ns;
        if (!is_repeating || !lacks_ticks(room, session))
            continue;
        uint64_t patience_ns = ls_resend_timer_ns(&session->patience);
        if (now_ns - session->sent_ns >= patience_ns && !ls_sessions_send_window(session, now_ns))
            continue;
        uint64_t due_ns = session->sent_ns + patience_ns;
        next_ns = due_ns < next_ns ? due_ns : next_ns;
    }
    room->repeat_ns = next_ns > soonest_ns ? next_ns : soonest_ns;
}

void ls_tick_loop_end(ls_room *room, ls_closing_reason reason, const char *why, uint64_t now_ns)
{
    if (room->state >= LS_ROOM_ENDING)
        return;
    room->state = LS_ROOM_ENDING;
    room->end_ns = room->told_ns = now_ns;
    begin_repeating(room, now_ns);
    room->stats.ended_by = reason;
    snprintf(room->end_reason, sizeof room->end_reason, "%.*s", LS_REASON_BYTES - 1,
             why[0] ? why : ls_closing_reason_name((uint8_t)reason));
    if (reason == LS_CLOSING_FAILED)
        note_failure(room);
}

/* Whether the server's last root tells this client nothing that it has not said itself. */
static bool has_everything(const ls_room *room, const ls_session *session)
{
    if (session->awaits_sentence)
        return false;
    return session->referee.has_diverged ||
           (session->ack == room->ring.next && session->referee.right_next == room->ring.next + 1);
}

/* The last word to one session: of a match that failed there is no root to compare. */
static void dismiss(ls_session *session, uint64_t now_ns)
{
    const ls_room *room = session->room;
    ls_notice notice = {
        .kind = LS_NOTICE_END, .tick = room->ring.next, .server_root = room->final_root};
    if (room->stats.ended_by == LS_CLOSING_FAILED) {
        notice = (ls_notice){.kind = LS_NOTICE_GOODBYE};
        snprintf(notice.text, sizeof notice.text, "the match cannot go on: %.180s",
                 room->end_reason);
    }
    ls_sessions_dismiss(session, &notice, now_ns);
}

/* Nothing is under way that closing would wait for: meanwhile all rooms would stand still. */
static bool is_idle(const ls_room *room)
{
    return ls_room_record_is_over(room) && ls_room_evidence_is_over(room) &&
           !ls_job_is_busy(&room->snapshots.job) && !ls_job_is_busy(&room->record.keyframes.job) &&
           (room->is_lost || !ls_job_is_busy(&room->driver.job));
}

void ls_tick_loop_farewell(ls_room *room, uint64_t now_ns)
{
    /* Nobody waits for the root of a match that failed: a job that never ends may be why it did. */
    bool has_failed = room->stats.ended_by == LS_CLOSING_FAILED;
    if (room->state != LS_ROOM_ENDING || (!room->has_final_root && !has_failed))
        return;
    bool is_late = has_failed || now_ns - room->end_ns >= LS_SERVER_LINGER_NS;
    if (room->sessions)
        room->told_ns = now_ns;
    for (ls_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        if (is_late || has_everything(room, session))
            dismiss(session, now_ns);
    }
    /* Of a room that could not begin whoever asked for it hears when he asks again. */
    uint64_t rest_ns = room->had_session                   ? LS_SERVER_FAREWELL_NS
                       : has_failed && room->is_on_request ? LS_SERVER_LINGER_NS
                                                           : 0;
    if (room->has_final_root && !room->sessions && is_idle(room) &&
        now_ns - room->told_ns >= rest_ns)
        room->state = LS_ROOM_ENDED;
}

uint64_t ls_tick_loop_next_ns(const ls_room *room, uint64_t now_ns)
{
    uint64_t next = now_ns + LS_SERVER_IDLE_STEP_NS;
    bool is_waiting = room->held_since_ns != 0; /* for a packet, not for time */
    if (room->state == LS_ROOM_RUNNING && !is_waiting && due_ns(room) < next)
        next = due_ns(room);
    return room->repeat_ns < next ? room->repeat_ns : next;
}
