#include "server/tick_loop.h"

#include "core/base/fault_injection.h"
#include "proto/congestion_level.h"
#include "server/desync_inquiry.h"
#include "server/host_bucket.h"
#include "server/ranges.h"
#include "server/room_end.h"
#include "server/server_state.h"
#include "server/session_messages.h"
#include "server/session_roots.h"
#include "server/sessions.h"
#include <lockstep/session_limits.h>

#include <stdio.h>
#include <string.h>

static uint64_t due_ns(const ls_room *room)
{
    return ls_tick_clock_due_ns(&room->clock, room->match.ring.next);
}

static void collect_roots(ls_room *room, uint64_t now_ns)
{
    ls_driver *driver = &room->match.driver;
    room->simulated_ns = now_ns;
    for (uint32_t i = 0; i < driver->done; i++) {
        ls_referee_push(&room->match.referee, driver->roots[i]);
        ls_room_recording_add_root(&room->recording, driver->roots[i]);
    }
    for (ls_server_session *session = room->sessions, *next; driver->done && session;
         session = next) {
        next = session->next; /* a call may end the session, as in each such loop */
        ls_session_roots_check_held(session, now_ns);
    }
    if (driver->snapshot && room->sessions)
        ls_snapshot_cache_pack(&room->snapshots, room->host->jobs, driver->snapshot);
    else
        ls_driver_discard(driver, driver->snapshot);
    driver->snapshot = NULL;
    ls_room_recording_add_world(&room->recording);
    if (driver->status == LS_OK)
        return;
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    ls_event_log_write(&room->log, "advance_failed tick=%llu reason=%s",
                       (unsigned long long)ls_room_match_simulated(&room->match),
                       ls_event_log_quote(driver->error.text, reason));
    ls_room_end_fail(room, driver->error.text, now_ns);
}

static void collect_snapshot(ls_room *room, uint64_t now_ns)
{
    ls_snapshot *snapshot = ls_snapshot_cache_take(&room->snapshots, now_ns);
    if (!snapshot)
        return;
    room->stats.snapshots_encoded = room->snapshots.encoded;
    ls_driver_discard(&room->match.driver, snapshot);
    for (ls_server_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        ls_ranges_serve(session, now_ns);
    }
}

static void count_durations(ls_room *room)
{
    const ls_driver *driver = &room->match.driver;
    for (uint32_t i = 0; i < driver->done; i++)
        ls_histogram_add(&room->took, driver->took_ns[i]);
}

void ls_tick_loop_collect(ls_room *room, uint64_t now_ns)
{
    if (ls_driver_take(&room->match.driver)) {
        count_durations(room);
        collect_roots(room, now_ns);
    }
    ls_desync_inquiry_step(room, now_ns);
    collect_snapshot(room, now_ns);
    ls_room_recording_collect(&room->recording);
}

/* Flushes the link after this many sessions, so that the first clients do not wait for the last
 * packet. The number then doubles, because a flush may visit every connection. */
#define FLUSH_SESSIONS 64

/* Whether the session is sent ticks now, as it always is between a wrong root and the verdict. A
 * spectator gets LS_SERVER_SPECTATOR_NS of ticks in one packet, but at most half of a window: the
 * other half repeats the packet before. On a congested line a player may get several ticks in one
 * packet, and a spectator twice as many. */
static bool is_due(const ls_server_session *session, uint64_t now_ns)
{
    const ls_room *room = session->room;
    uint64_t period_ns = ls_tick_clock_period_ns(&room->clock);
    bool is_spectator = session->seat == LS_SEAT_NONE;
    uint64_t spacing_ns = ls_congestion_level_spacing_ns(session->congestion);
    if (is_spectator)
        spacing_ns = spacing_ns ? 2 * LS_SERVER_SPECTATOR_NS : LS_SERVER_SPECTATOR_NS;
    return (session->referee.is_suspect && !session->referee.has_diverged) ||
           room->match.ring.next - session->sent_next >= LS_TICKS_WINDOW / (is_spectator ? 2 : 1) ||
           now_ns - session->sent_ns + period_ns / 2 >= spacing_ns;
}

typedef struct broadcast_part {
    uint32_t left, sessions; /* sessions until the next flush, and between two flushes */
} broadcast_part;

static void send_to_level(ls_room *room, uint32_t level, broadcast_part *part, uint64_t now_ns)
{
    for (ls_server_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        if (session->congestion != level || !is_due(session, now_ns))
            continue;
        ls_sessions_send_window(session, now_ns);
        if (--part->left)
            continue;
        ls_link_flush(room->server->link, now_ns);
        part->left = part->sessions *= 2;
    }
}

/* Sends to the sessions with the most congested lines first. Where several share a line, the last
 * one waits for the packets of all others. If that were always the same client, it would repeat
 * less, still wait, and the others would not notice. */
static void broadcast(ls_room *room, uint64_t now_ns)
{
    broadcast_part part = {FLUSH_SESSIONS, FLUSH_SESSIONS};
    uint32_t levels = 0;
    for (const ls_server_session *session = room->sessions; session; session = session->next)
        levels |= 1u << session->congestion;
    for (uint32_t level = LS_CONGESTION_MAX + 1; level-- > 0;)
        if (levels >> level & 1)
            send_to_level(room, level, &part, now_ns);
}

/* Returns the budget of log lines about the host of a player; NULL for a player without a seat,
 * whose events are the server's. */
static ls_token_bucket *player_log_budget(const ls_room *room, uint32_t player)
{
    if (player >= room->match.config.player_count)
        return NULL;
    return &room->server->host_log_lines[room->match.seats.items[player].bucket];
}

/* Logs the events in a frame. `player_leave` is a LEAVE in this tick. The `leave` of
 * server/sessions.c is the end of a session, which may keep its seat. */
static void log_events(ls_room *room, const ls_frame *frame, uint64_t now_ns)
{
    static const char *const names[] = {[LS_JOIN] = "player_join",
                                        [LS_LEAVE] = "player_leave",
                                        [LS_PAUSE] = "pause",
                                        [LS_RESUME] = "resume"};
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind < LS_COUNT_OF(names) && names[input->kind])
            ls_event_log_write_of(&room->log, player_log_budget(room, input->player), now_ns,
                                  "%s tick=%llu player=%u", names[input->kind],
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

/* Returns the match event of the next tick: a pause, a resume or none. */
static ls_seats_event take_event(ls_room *room, uint64_t now_ns)
{
    ls_seats_event event = {.kind = LS_INPUT, .player = room->pause.player};
    if (room->match.is_paused && !room->pause.is_wanted)
        event.kind = LS_RESUME;
    else if (!room->match.is_paused && room->pause.is_wanted) {
        event.kind = LS_PAUSE;
        room->pause.since_ns = now_ns;
    }
    room->match.is_paused = room->pause.is_wanted;
    return event;
}

static void close_tick(ls_room *room, uint64_t now_ns)
{
    ls_frame frame;
    ls_seats_taken taken;
    ls_seats_expire(&room->match.seats, now_ns);
    ls_seats_build(&room->match.seats, room->match.ring.next, take_event(room, now_ns), &frame,
                   &taken);
    ls_room_recording_add_frame(&room->recording, &frame);
    count_frame(room, &taken, ls_tick_ring_push(&room->match.ring, &frame));
    log_events(room, &frame, now_ns);
    broadcast(room, now_ns);
    room->resend_ns = now_ns + LS_SERVER_RESEND_NS;
}

/* Counts the players that join in the next tick, and the players of a restored match that have come
 * back to a kept seat. */
static uint32_t ready_players(const ls_room *room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < room->match.config.player_count; i++) {
        const ls_seat *seat = &room->match.seats.items[i];
        count += seat->wants_join ||
                 (seat->is_in_stream && !seat->wants_leave && !seat->absent_until_ns);
    }
    return count;
}

void ls_tick_loop_start_clock(ls_room *room, uint64_t now_ns)
{
    room->clock.held_since_ns = 0;
    uint64_t start_ns = room->server->room_count > 1
                            ? ls_tick_clock_phase_ns(&room->clock, room->number, now_ns)
                            : now_ns;
    ls_tick_clock_start(&room->clock, room->match.ring.next, start_ns);
}

static void begin_when_ready(ls_room *room, uint64_t now_ns)
{
    ls_seats_expire(&room->match.seats, now_ns);
    bool is_over = room->start_by_ns && now_ns >= room->start_by_ns;
    if (ready_players(room) < room->wait_players && !is_over)
        return;
    room->state = LS_ROOM_RUNNING;
    ls_tick_loop_start_clock(room, now_ns);
    ls_event_log_write(&room->log, "start tick=%llu players=%u rate=%u",
                       (unsigned long long)room->match.ring.next, ready_players(room),
                       room->match.config.tick_rate);
}

/* Moves a schedule that cannot be kept, because a burst of old ticks helps no client. */
static void skip_schedule(ls_room *room, uint64_t now_ns)
{
    uint64_t skipped = (now_ns - due_ns(room)) / ls_tick_clock_period_ns(&room->clock) + 1;
    room->stats.ticks_skipped += skipped;
    ls_tick_clock_start(&room->clock, room->match.ring.next, now_ns);
    ls_event_log_write_limited(&room->log, now_ns, "schedule_skipped tick=%llu periods=%llu",
                               (unsigned long long)room->match.ring.next,
                               (unsigned long long)skipped);
}

/* Under LS_ROOM_WAIT, returns a player that holds the tick: its state for the tick has not
 * come, or it has acknowledged no tick of the last quarter of a second. A player without a session
 * does not hold the tick, because its LEAVE follows. */
static ls_server_session *find_laggard(const ls_room *room)
{
    uint64_t window = room->match.config.tick_rate / 4 + 2;
    if (room->policy != LS_ROOM_WAIT && !LS_FAULT(LAGGARD_HOLDS))
        return NULL;
    for (ls_server_session *session = room->sessions; session; session = session->next) {
        if (session->seat == LS_SEAT_NONE || !room->match.seats.items[session->seat].is_in_stream)
            continue;
        if (session->ack + window < room->match.ring.next ||
            !ls_seats_is_ready(&room->match.seats, session->seat, room->match.ring.next))
            return session;
    }
    return NULL;
}

/* True while a pause holds the match. A pause that a player asked for expires. */
static bool is_pause_held(ls_room *room, uint64_t now_ns)
{
    bool is_players = room->pause.player < room->match.config.player_count;
    if (room->match.is_paused && is_players && now_ns - room->pause.since_ns >= LS_SERVER_PAUSE_NS)
        ls_sessions_end_pause(room);
    return room->match.is_paused && room->pause.is_wanted;
}

/* True while a pause or a player holds the due tick; the schedule restarts afterwards. A player
 * that holds it too long is kicked, because it may be connected and idle. A dead connection times
 * out before that, and its player may return. */
static bool hold_tick(ls_room *room, uint64_t now_ns)
{
    bool is_held = is_pause_held(room, now_ns);
    ls_server_session *laggard = is_held ? NULL : find_laggard(room);
    if (is_held || laggard) {
        room->stats.ticks_held += laggard && !room->clock.held_since_ns;
        if (!room->clock.held_since_ns)
            ls_room_resend_soon(room, now_ns);
        if (!room->clock.held_since_ns || is_held)
            room->clock.held_since_ns = now_ns;
        if (laggard && now_ns - room->clock.held_since_ns >= LS_SERVER_HOLD_NS)
            ls_sessions_kick(laggard, "it has delayed the others for too long", now_ns);
        return true;
    }
    if (room->clock.held_since_ns) {
        room->clock.held_since_ns = 0;
        ls_tick_clock_start(&room->clock, room->match.ring.next,
                            now_ns - ls_tick_clock_period_ns(&room->clock));
    }
    return false;
}

static void watch_lag(ls_room *room, uint64_t now_ns)
{
    uint64_t lag = ls_room_match_lag(&room->match);
    if (lag <= room->lag_ticks_max)
        return;
    char why[LS_REASON_BYTES];
    snprintf(why, sizeof why, "the simulation is %llu ticks behind; %u are allowed",
             (unsigned long long)lag, room->lag_ticks_max);
    ls_room_end(room, LS_CLOSING_FAILED, why, now_ns);
}

/* True when the last client has left, or the client that asked for the room never came. */
static bool is_abandoned(const ls_room *room, uint64_t now_ns)
{
    if (room->sessions || room->resume.series || ls_seats_has_absent(&room->match.seats))
        return false;
    if (room->had_session)
        return room->end_when_empty;
    return room->is_on_request && now_ns - room->opened_ns >= room->unused_ns;
}

void ls_tick_loop_run(ls_room *room, uint64_t now_ns)
{
    if (!room->opened_ns)
        room->opened_ns = now_ns;
    /* A resumed match may be complete already. */
    if (room->state < LS_ROOM_ENDING && room->ticks_max && room->match.ring.next >= room->ticks_max)
        ls_room_end(room, LS_CLOSING_FINISHED, "", now_ns);
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
        ls_histogram_add(&room->late, room->stats.lateness_ns);
        close_tick(room, now_ns);
        if (room->ticks_max && room->match.ring.next >= room->ticks_max)
            ls_room_end(room, LS_CLOSING_FINISHED, "", now_ns);
        watch_lag(room, now_ns);
    }
    if (room->state < LS_ROOM_ENDING && is_abandoned(room, now_ns))
        ls_room_end(room, LS_CLOSING_ABANDONED, "", now_ns);
}

void ls_tick_loop_submit(ls_room *room, uint64_t now_ns)
{
    bool is_ending = room->state >= LS_ROOM_ENDING;
    uint64_t tick_limit = UINT64_MAX;
    uint32_t requests = 0;
    if (room->sessions && ls_snapshot_cache_is_due(&room->snapshots, now_ns))
        requests |= LS_DRIVER_SNAPSHOT;
    if (!is_ending) {
        tick_limit = ls_room_recording_tick_limit(&room->recording);
        if (ls_room_recording_wants_keyframe(&room->recording))
            requests |= LS_DRIVER_KEYFRAME;
    }
    if (!is_ending || room->stats.ended_by != LS_CLOSING_FAILED) {
        ls_desync_inquiry_submit(room);
        ls_driver_submit(&room->match.driver, room->host->jobs, &room->match.ring, tick_limit,
                         requests);
    }
    /* A job that ran inline, or without threads, has ended already. */
    ls_flag_lower(room->flag);
    ls_tick_loop_collect(room, now_ns);
    if (room->state >= LS_ROOM_ENDING)
        ls_room_end_finish(room, now_ns);
    else
        ls_room_recording_sync(&room->recording);
}

static bool is_slow(const ls_room *room)
{
    return room->state >= LS_ROOM_ENDING || room->match.config.tick_rate < 60 ||
           room->clock.held_since_ns;
}

static bool lacks_ticks(const ls_room *room, const ls_server_session *session)
{
    return session->wants_ticks && session->ack < room->match.ring.next;
}

/* Whether the session needs no resend: a spectator's next packet repeats the previous one. */
static bool is_batched(const ls_room *room, const ls_server_session *session)
{
    return session->seat == LS_SEAT_NONE && room->state < LS_ROOM_ENDING &&
           !room->clock.held_since_ns;
}

/* Returns how long after the last packet ticks are sent again. Ticks that wait to share a packet
 * with later ones do not wait longer in a pause or at the end, when no later ones come. */
static uint64_t overdue_after_ns(const ls_server_session *session)
{
    const ls_room *room = session->room;
    bool is_last = room->state >= LS_ROOM_ENDING || room->match.is_paused;
    if (session->sent_next < room->match.ring.next && is_last)
        return ls_congestion_level_spacing_ns(session->congestion);
    uint64_t timer_ns = ls_resend_timer_ns(&session->resend_timer);
    uint64_t least_ns = ls_congestion_level_resend_ns(session->congestion);
    return timer_ns > least_ns ? timer_ns : least_ns;
}

void ls_tick_loop_resend(ls_room *room, uint64_t now_ns)
{
    if (now_ns < room->resend_ns)
        return;
    uint64_t soonest_ns = now_ns + LS_SERVER_RESEND_NS, next_ns = UINT64_MAX;
    bool is_resending = is_slow(room);
    for (ls_server_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        if (!ls_session_roots_check_verdict(session, now_ns))
            continue;
        if (session->referee.is_suspect || session->awaits_evidence)
            next_ns = soonest_ns;
        if (!is_resending || !lacks_ticks(room, session) || is_batched(room, session))
            continue;
        uint64_t overdue_ns = overdue_after_ns(session);
        if (now_ns - session->sent_ns >= overdue_ns && !ls_sessions_send_window(session, now_ns))
            continue;
        uint64_t due_ns = session->sent_ns + overdue_ns;
        next_ns = due_ns < next_ns ? due_ns : next_ns;
    }
    room->resend_ns = next_ns > soonest_ns ? next_ns : soonest_ns;
}

uint64_t ls_tick_loop_next_ns(const ls_room *room, uint64_t now_ns)
{
    uint64_t next = now_ns + LS_SERVER_IDLE_STEP_NS;
    bool is_waiting = room->clock.held_since_ns != 0; /* for a packet, not for a time */
    if (room->state == LS_ROOM_RUNNING && !is_waiting && due_ns(room) < next)
        next = due_ns(room);
    return room->resend_ns < next ? room->resend_ns : next;
}
