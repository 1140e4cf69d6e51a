#include "server/record.h"

static void note_failure(ls_room *room, const ls_error *error)
{
    if (room->record.has_failed)
        return;
    room->record.has_failed = true;
    char reason[LS_JOURNAL_QUOTED_BYTES];
    ls_journal_write(&room->journal, "recording_failed tick=%llu reason=%s",
                     (unsigned long long)room->ring.next, ls_journal_quote(error->text, reason));
}

static bool is_recording(const ls_room *room)
{
    return room->record.recorder && !room->record.has_failed;
}

void ls_room_record_frame(ls_room *room, const ls_frame *frame)
{
    ls_error error;
    if (is_recording(room) && ls_recorder_append(room->record.recorder, frame, &error) != LS_OK)
        note_failure(room, &error);
}

void ls_room_record_root(ls_room *room, uint64_t root)
{
    ls_error error;
    if (is_recording(room) && ls_recorder_add_root(room->record.recorder, root, &error) != LS_OK)
        note_failure(room, &error);
}

void ls_room_record_epoch(ls_room *room)
{
    ls_error error;
    if (is_recording(room) &&
        ls_recorder_begin_epoch(room->record.recorder, room->epoch,
                                (int64_t)room->server->now_unix_s, &error) != LS_OK)
        note_failure(room, &error);
}

static void run(ls_job *job)
{
    ls_recorder_sync_run(&((ls_room_record *)job)->ticket);
}

void ls_room_record_sync(ls_room *room)
{
    ls_room_record *record = &room->record;
    if (!is_recording(room) || !record->sync_ticks || ls_job_is_busy(&record->job) ||
        ls_recorder_unsynced_ticks(record->recorder) < record->sync_ticks)
        return;
    ls_error error;
    if (ls_recorder_sync_begin(record->recorder, &record->ticket, &error) != LS_OK) {
        note_failure(room, &error);
        return;
    }
    record->job.run = run;
    ls_job_submit(room->server->disk_jobs, &record->job);
    ls_room_record_collect(room);
}

void ls_room_record_collect(ls_room *room)
{
    ls_room_record *record = &room->record;
    ls_error error;
    if (ls_job_take(&record->job) &&
        ls_recorder_sync_end(record->recorder, &record->ticket, &error) != LS_OK)
        note_failure(room, &error);
}

static void settle(ls_room *room)
{
    if (!ls_job_is_busy(&room->record.job))
        return;
    ls_job_wait(room->server->disk_jobs, &room->record.job);
    ls_error error;
    if (ls_recorder_sync_end(room->record.recorder, &room->record.ticket, &error) != LS_OK)
        note_failure(room, &error);
}

void ls_room_record_finish(ls_room *room, ls_closing_reason reason)
{
    ls_error error;
    settle(room);
    if (is_recording(room) && ls_recorder_finish(room->record.recorder, reason, &error) != LS_OK)
        note_failure(room, &error);
}

void ls_room_record_close(ls_room *room)
{
    settle(room);
    ls_recorder_destroy(room->record.recorder);
    room->record.recorder = NULL;
}
