#include "server/resume_match.h"

#include "core/base/fault_injection.h"
#include "server/room_end.h"
#include "server/seats_file.h"
#include "server/server_state.h"
#include <lockstep/session_limits.h>

#include <stdio.h>
#include <string.h>

static void run(ls_job *job)
{
    ls_resume_state *resume = (ls_resume_state *)job;
    if (resume->note)
        resume->note(resume->name, true);
    __atomic_store_n(&resume->progress, 1, __ATOMIC_RELAXED);
    resume->status = ls_resume_replay(resume, &resume->error);
    if (resume->note)
        resume->note(resume->name, false);
}

/* Restores what the room asked of its clients. A room on request waits for its clients as long as
 * they try to return. */
static void restore_rules(ls_room *room, const ls_seats_file *file)
{
    room->requires_token |= file->requires_token;
    if (!file->is_on_request)
        return;
    room->is_on_request = room->end_when_empty = true;
    room->unused_ns = LS_CLIENT_RESUME_TIMEOUT_NS;
}

/* Restores the seats' secrets and names, so that former players may return. */
static void restore_seats(ls_room *room, const ls_seats_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        const ls_seats_file_seat *from = &file->seats[i];
        if (from->seat >= room->match.config.player_count)
            continue;
        ls_seat *seat = &room->match.seats.items[from->seat];
        seat->has_secret = true;
        seat->is_light = from->is_light;
        seat->was_resynced = from->was_resynced;
        seat->was_asked = from->was_asked;
        seat->freed = ++room->match.seats.freed_count;
        memcpy(seat->secret, from->secret_hash, sizeof seat->secret);
        memcpy(seat->client, from->client, sizeof seat->client);
        memcpy(seat->name, from->name, sizeof seat->name);
    }
}

void ls_resume_begin(ls_room *room, const struct ls_seats_file *seats)
{
    if (seats) {
        restore_rules(room, seats);
        restore_seats(room, seats);
    }
    room->state = LS_ROOM_RESTORING;
    room->resume.job.run = run;
    room->resume.match = &room->match;
    room->resume.end_tick = ls_series_end_tick(room->resume.series, room->resume.series->count - 1);
    ls_job_submit(room->host->jobs, &room->resume.job);
}

/* Abandons the job and ends the room. Reads nothing of the match, because the job's thread may use
 * it forever. */
static void give_up(ls_room *room, ls_closing_reason reason, const char *why)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    ls_job_fate fate = ls_job_abandon(room->host->jobs, &room->resume.job);
    if (fate == LS_JOB_HAS_RUN)
        return;
    room->is_lost = fate == LS_JOB_LOST;
    room->state = LS_ROOM_ENDED;
    room->stats.ended_by = reason;
    room->stats.is_cut_off = true;
    room->stats.hangs = reason == LS_CLOSING_FAILED;
    room->server->stats.rooms_failed += reason == LS_CLOSING_FAILED;
    snprintf(room->end_reason, sizeof room->end_reason, "%s", why);
    ls_event_log_write(&room->log, "restore_abandoned reason=%s", ls_event_log_quote(why, quoted));
}

static void watch(ls_room *room, uint64_t now_ns)
{
    ls_resume_state *resume = &room->resume;
    uint64_t progress = __atomic_load_n(&resume->progress, __ATOMIC_RELAXED);
    uint64_t drained_ns = room->drained_ns ? now_ns - room->drained_ns : 0;
    if (!resume->seen_ns || progress != resume->seen)
        resume->seen_ns = now_ns;
    resume->seen = progress;
    if (drained_ns >= LS_SERVER_LINGER_NS / 2)
        __atomic_store_n(&resume->is_cancelled, true, __ATOMIC_RELAXED);
    if (drained_ns >= LS_SERVER_LINGER_NS)
        give_up(room, LS_CLOSING_DRAINED, "the server stops");
    else if (progress && now_ns - resume->seen_ns >= LS_SERVER_LAG_NS) {
        char why[LS_REASON_BYTES];
        snprintf(why, sizeof why, "tick %llu of its recording does not end",
                 (unsigned long long)(progress - 1));
        give_up(room, LS_CLOSING_FAILED, why);
    }
}

/* Ends the room because the server stops. The recording stays unchanged and can be resumed later.
 */
static void cut_off(ls_room *room, uint64_t now_ns)
{
    room->stats.is_cut_off = true;
    ls_event_log_write(&room->log, "restore_abandoned tick=%llu reason=\"the server stops\"",
                       (unsigned long long)room->match.ring.next);
    ls_room_recording_close(&room->recording);
    ls_room_end(room, LS_CLOSING_DRAINED, "", now_ns);
}

static void log_unusable(const ls_room *room)
{
    const ls_resume_state *resume = &room->resume;
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    if (resume->unusable_count)
        ls_event_log_write(&room->log,
                           "restore_keyframes_unusable count=%u last=%llu from=%llu reason=%s",
                           resume->unusable_count, (unsigned long long)resume->unusable_tick,
                           (unsigned long long)resume->from_tick,
                           ls_event_log_quote(resume->unusable_error.text, reason));
}

/* Each player has lost its session. Its seat is kept if the file of seats can tell who may claim
 * it: as long as after any lost session, and at least LS_SERVER_TAKEOVER_KEEP_NS after a take-over.
 */
static void restore_player(ls_room *room, uint32_t index, uint64_t now_ns)
{
    ls_seat *seat = &room->match.seats.items[index];
    room->match.driver.players |= (uint64_t)seat->is_in_stream << index;
    room->stats.players += seat->is_in_stream;
    uint64_t keep_ns = room->keep_seats_ns;
    if (room->is_taken_over && keep_ns < LS_SERVER_TAKEOVER_KEEP_NS)
        keep_ns = LS_SERVER_TAKEOVER_KEEP_NS;
    if (seat->is_in_stream && seat->has_secret && keep_ns)
        seat->absent_until_ns = now_ns + keep_ns;
    else
        seat->wants_leave = seat->is_in_stream && !LS_FAULT(RESTORE_KEEPS_SEATS);
}

/* The players of a match that was taken over follow at once: the next tick waits for them. */
static void await_players(ls_room *room, uint64_t now_ns)
{
    if (!room->is_taken_over || room->match.ring.next == 0)
        return;
    room->wait_players = 0;
    room->start_by_ns = now_ns + LS_SERVER_TAKEOVER_WAIT_NS;
    for (uint32_t i = 0; i < room->match.config.player_count; i++)
        room->wait_players += room->match.seats.items[i].absent_until_ns != 0;
}

void ls_resume_collect(ls_room *room, uint64_t now_ns)
{
    if (!ls_job_take(&room->resume.job)) {
        watch(room, now_ns);
        return;
    }
    uint32_t files = room->resume.series->count;
    ls_series_close(room->resume.series);
    room->resume.series = NULL;
    room->stats.restored_ticks = room->resume.simulated_ticks;
    log_unusable(room);
    room->match.driver.next = room->match.ring.next;
    room->state = LS_ROOM_WAITING;
    room->opened_ns = now_ns;
    if (room->resume.status == LS_ERROR_REFUSED && room->resume.is_cancelled) {
        cut_off(room, now_ns);
        return;
    }
    if (room->resume.status != LS_OK) {
        char reason[LS_EVENT_LOG_QUOTED_BYTES];
        ls_event_log_write(&room->log, "restore_failed tick=%llu reason=%s",
                           (unsigned long long)room->match.ring.next,
                           ls_event_log_quote(room->resume.error.text, reason));
        /* The recording stays unchanged, for an analysis. */
        ls_room_recording_close(&room->recording);
        ls_room_end(room, LS_CLOSING_FAILED, room->resume.error.text, now_ns);
        return;
    }
    room->match.driver.is_paused = room->match.is_paused;
    for (uint32_t i = 0; i < room->match.config.player_count; i++)
        restore_player(room, i, now_ns);
    await_players(room, now_ns);
    ls_room_recording_resumed(&room->recording);
    ls_event_log_write(&room->log, "restored tick=%llu epoch=%u root=%016llx simulated=%llu",
                       (unsigned long long)room->match.ring.next, room->epoch,
                       (unsigned long long)ls_room_match_last_root(&room->match),
                       (unsigned long long)room->resume.simulated_ticks);
    if (files > 1)
        ls_event_log_write(&room->log, "restored_segments files=%u lost_ticks=%llu", files,
                           (unsigned long long)room->resume.lost_ticks);
    if (room->wants_drain)
        ls_room_end(room, LS_CLOSING_DRAINED, "", now_ns);
}
