#include "server/resume_match.h"

#include "core/base/fault_injection.h"
#include "server/resume_replay.h"
#include "server/room_recording.h"
#include "server/seats_file.h"
#include "server/tick_loop.h"

#include <stdio.h>
#include <string.h>

static void run(ls_job *job)
{
    ls_resume_state *restore = (ls_resume_state *)job;
    if (restore->note)
        restore->note(restore->name, true);
    __atomic_store_n(&restore->progress, 1, __ATOMIC_RELAXED);
    restore->status = ls_resume_replay(restore->room, &restore->error);
    if (restore->note)
        restore->note(restore->name, false);
}

/* Whoever had a seat may come back to it. */
static void restore_seats(ls_room *room, const ls_seats_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        const ls_seats_file_seat *from = &file->seats[i];
        if (from->seat >= room->match.player_count)
            continue;
        ls_seat *seat = &room->seats.items[from->seat];
        seat->has_secret = true;
        seat->freed = ++room->seats.freed_count;
        memcpy(seat->secret, from->secret_hash, sizeof seat->secret);
        memcpy(seat->client, from->client, sizeof seat->client);
        memcpy(seat->name, from->name, sizeof seat->name);
    }
}

void ls_resume_begin(ls_room *room, const struct ls_seats_file *seats)
{
    if (seats)
        restore_seats(room, seats);
    room->state = LS_ROOM_RESTORING;
    room->restore.job.run = run;
    room->restore.room = room;
    ls_job_submit(room->server->jobs, &room->restore.job);
}

/* The roots that the crash kept from the recording, and its new epoch. */
static void catch_up_recording(ls_room *room)
{
    ls_recorder *recorder = room->record.recorder;
    if (!recorder)
        return;
    for (uint64_t tick = ls_recorder_root_tick(recorder); tick < room->referee.next; tick++)
        ls_room_record_root(room, room->referee.roots[tick % LS_SERVER_ROOTS]);
    ls_room_record_epoch(room);
    ls_keyframes *keyframes = &room->record.keyframes;
    uint64_t lowest = ls_recorder_next_keyframe(recorder);
    keyframes->due = keyframes->due < lowest ? lowest : keyframes->due;
}

/* What was done so far may be in use by a thread that never ends: the room is not looked into any
 * more. */
static void give_up(ls_room *room, ls_closing_reason reason, const char *why)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    ls_job_fate fate = ls_job_abandon(room->server->jobs, &room->restore.job);
    if (fate == LS_JOB_HAS_RUN)
        return;
    room->is_lost = fate == LS_JOB_LOST;
    room->state = LS_ROOM_ENDED;
    room->stats.ended_by = reason;
    room->stats.is_cut_off = true;
    room->stats.is_poisoned = reason == LS_CLOSING_FAILED;
    room->server->stats.rooms_failed += reason == LS_CLOSING_FAILED;
    snprintf(room->end_reason, sizeof room->end_reason, "%s", why);
    ls_event_log_write(&room->journal, "restore_given_up reason=%s",
                       ls_event_log_quote(why, quoted));
}

static void watch(ls_room *room, uint64_t now_ns)
{
    ls_resume_state *restore = &room->restore;
    uint64_t progress = __atomic_load_n(&restore->progress, __ATOMIC_RELAXED);
    uint64_t drained_ns = room->drained_ns ? now_ns - room->drained_ns : 0;
    if (!restore->seen_ns || progress != restore->seen)
        restore->seen_ns = now_ns;
    restore->seen = progress;
    if (drained_ns >= LS_SERVER_LINGER_NS / 2)
        __atomic_store_n(&restore->is_cancelled, true, __ATOMIC_RELAXED);
    if (drained_ns >= LS_SERVER_LINGER_NS)
        give_up(room, LS_CLOSING_DRAINED, "the server stops");
    else if (progress && now_ns - restore->seen_ns >= LS_SERVER_LAG_NS) {
        char why[LS_REASON_BYTES];
        snprintf(why, sizeof why, "tick %llu of its recording does not come to an end",
                 (unsigned long long)(progress - 1));
        give_up(room, LS_CLOSING_FAILED, why);
    }
}

/* It ended as it stood, when the server was to stop: the recording is taken up again later. */
static void cut_off(ls_room *room, uint64_t now_ns)
{
    room->stats.is_cut_off = true;
    ls_event_log_write(&room->journal, "restore_given_up tick=%llu reason=\"the server stops\"",
                       (unsigned long long)room->ring.next);
    ls_room_record_close(room);
    ls_tick_loop_end(room, LS_CLOSING_DRAINED, "", now_ns);
}

static void tell_unfit(const ls_room *room)
{
    const ls_resume_state *restore = &room->restore;
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    if (restore->unfit_count)
        ls_event_log_write(&room->journal,
                           "restore_keyframes_unfit count=%u last=%llu from=%llu reason=%s",
                           restore->unfit_count, (unsigned long long)restore->unfit_tick,
                           (unsigned long long)restore->from_tick,
                           ls_event_log_quote(restore->unfit_why.text, reason));
}

void ls_resume_collect(ls_room *room, uint64_t now_ns)
{
    if (!ls_job_take(&room->restore.job)) {
        watch(room, now_ns);
        return;
    }
    uint32_t files = room->restore.history->count;
    ls_series_close(room->restore.history);
    room->restore.history = NULL;
    room->stats.restored_ticks = room->restore.simulated_ticks;
    tell_unfit(room);
    room->driver.next = room->ring.next;
    room->state = LS_ROOM_WAITING;
    if (room->restore.status == LS_ERROR_REFUSED && room->restore.is_cancelled) {
        cut_off(room, now_ns);
        return;
    }
    if (room->restore.status != LS_OK) {
        char reason[LS_EVENT_LOG_QUOTED_BYTES];
        ls_event_log_write(&room->journal, "restore_failed tick=%llu reason=%s",
                           (unsigned long long)room->ring.next,
                           ls_event_log_quote(room->restore.error.text, reason));
        /* The recording stays as it is: it is what there is to find out why. */
        ls_room_record_close(room);
        ls_tick_loop_end(room, LS_CLOSING_FAILED, room->restore.error.text, now_ns);
        return;
    }
    room->driver.is_paused = room->is_paused;
    for (uint32_t i = 0; i < room->match.player_count; i++) {
        ls_seat *seat = &room->seats.items[i];
        room->driver.players |= (uint64_t)seat->is_in_stream << i;
        seat->wants_leave = seat->is_in_stream && !LS_FAULT(RESTORE_KEEPS_SEATS);
    }
    catch_up_recording(room);
    ls_event_log_write(
        &room->journal, "restored tick=%llu epoch=%u root=%016llx simulated=%llu",
        (unsigned long long)room->ring.next, room->epoch,
        (unsigned long long)room->referee.roots[(room->referee.next - 1) % LS_SERVER_ROOTS],
        (unsigned long long)room->restore.simulated_ticks);
    if (files > 1)
        ls_event_log_write(&room->journal, "restored_segments files=%u lost_ticks=%llu", files,
                           (unsigned long long)room->restore.lost_ticks);
    if (room->wants_drain)
        ls_tick_loop_end(room, LS_CLOSING_DRAINED, "", now_ns);
}
