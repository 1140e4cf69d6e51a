#include "server/room_recording.h"

#include <stdio.h>
#include <string.h>

/* A file that has failed is never touched again; the match goes on in another one, if it may. */
static void note_failure(ls_room *room, const ls_error *error)
{
    if (room->record.has_failed)
        return;
    room->record.has_failed = room->record.had_failed = true;
    ls_segment_want(&room->record.segment, room->ring.next);
    ls_keyframes_begin_anew(&room->record.keyframes);
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    ls_event_log_write(&room->journal, "recording_failed tick=%llu reason=%s",
                       (unsigned long long)room->ring.next,
                       ls_event_log_quote(error->text, reason));
}

static bool is_recording(const ls_room *room)
{
    return room->record.recorder && !room->record.has_failed && !room->record.is_finished;
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

/* From which tick on the next file may begin; UINT64_MAX: there is to be none, or it is under way.
 */
static uint64_t segment_due(const ls_room *room)
{
    const ls_room_record *record = &room->record;
    bool is_wanted = room->state < LS_ROOM_ENDING && !record->is_finished && record->has_failed &&
                     !record->keyframes.snapshot;
    return is_wanted ? ls_segment_due(&record->segment) : UINT64_MAX;
}

uint64_t ls_room_record_stop(const ls_room *room)
{
    uint64_t tick = room->referee.next - 1, due = segment_due(room);
    return tick <= due ? due : UINT64_MAX; /* an attempt has failed: the match does not wait */
}

bool ls_room_record_wants_keyframe(const ls_room *room)
{
    const ls_room_record *record = &room->record;
    uint64_t tick = room->referee.next - 1;
    if (record->has_failed)
        return tick >= segment_due(room);
    return room->state < LS_ROOM_ENDING && is_recording(room) &&
           ls_keyframes_is_due(&record->keyframes, tick);
}

static void record_columns(ls_room *room)
{
    const ls_driver *driver = &room->driver;
    ls_error error;
    if (is_recording(room) && driver->columns_tick != UINT64_MAX &&
        ls_recorder_append_columns(room->record.recorder, driver->columns_tick, driver->columns,
                                   ls_program_column_count(room->server->program), &error) != LS_OK)
        note_failure(room, &error);
}

void ls_room_record_world(ls_room *room)
{
    ls_driver *driver = &room->driver;
    record_columns(room);
    ls_keyframes_measure(&room->record.keyframes, driver);
    if (driver->keyframe)
        ls_keyframes_pack(&room->record.keyframes, room->server->jobs, driver);
}

/* A state that is too large has no keyframes; the match is recorded without. */
static bool record_keyframe(ls_room *room, const ls_recording_keyframe *keyframe)
{
    ls_error error;
    ls_status status = LS_ERROR_LIMIT;
    if (!is_recording(room))
        return false;
    if (keyframe->bytes)
        status = ls_recorder_append_keyframe(room->record.recorder, keyframe, &error);
    if (status == LS_ERROR_LIMIT) {
        ls_keyframes_stop(&room->record.keyframes);
        ls_event_log_write(&room->journal, "keyframe_too_large tick=%llu bytes=%zu",
                           (unsigned long long)keyframe->tick, keyframe->bytes);
    } else if (status != LS_OK)
        note_failure(room, &error);
    return status == LS_OK;
}

static void collect_keyframe(ls_room *room)
{
    ls_room_record *record = &room->record;
    const ls_recording_keyframe *keyframe = ls_keyframes_take(&record->keyframes);
    if (!keyframe)
        return;
    bool is_full = keyframe->base_tick == keyframe->tick;
    if (record->has_failed && !record->is_finished && is_full && keyframe->bytes &&
        keyframe->tick >= ls_segment_due(&record->segment))
        ls_segment_begin(&record->segment, room->server->disk_jobs,
                         &(ls_segment_start){keyframe, record->recorder, room->epoch},
                         &room->server->entropy);
    else
        ls_keyframes_done(&record->keyframes, &room->driver, record_keyframe(room, keyframe));
}

/* What came in since the keyframe: the ring and the referee have kept it. */
static bool can_catch_up(const ls_room *room, uint64_t tick)
{
    return tick >= ls_tick_ring_first(&room->ring) && tick >= room->referee.first &&
           room->referee.next - tick <= LS_SERVER_ROOTS;
}

static void catch_up(ls_room *room)
{
    ls_recorder *recorder = room->record.recorder;
    for (uint64_t tick = ls_recorder_tick(recorder); is_recording(room); tick++) {
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        ls_reader reader;
        if (tick < room->referee.next)
            ls_room_record_root(room, room->referee.roots[tick % LS_SERVER_ROOTS]);
        if (tick == room->ring.next)
            return;
        ls_ticks_body body = ls_tick_ring_body(&room->ring, tick);
        ls_reader_init(&reader, body.data, body.bytes);
        LS_ASSERT(ls_frame_decode(&reader, tick, room->match.player_count, inputs, &frame));
        ls_room_record_frame(room, &frame);
    }
}

/* The match goes on in the file that the job has made. */
static void take_segment(ls_room *room)
{
    ls_room_record *record = &room->record;
    uint64_t tick = record->segment.keyframe->tick;
    ls_recorder *made = ls_segment_take(&record->segment);
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    bool goes_on = made && can_catch_up(room, tick);
    ls_keyframes_done(&record->keyframes, &room->driver, goes_on);
    if (!goes_on) {
        ls_recorder_destroy(made);
        ls_event_log_write(
            &room->journal, "segment_failed tick=%llu reason=%s", (unsigned long long)tick,
            ls_event_log_quote(made ? "it came too late" : record->segment.error.text, quoted));
        return;
    }
    ls_recorder_destroy(record->recorder);
    record->recorder = made;
    record->has_failed = false;
    record->segments = record->segment.header.segment;
    ls_event_log_write(&room->journal, "segment tick=%llu name=%s", (unsigned long long)tick,
                       ls_event_log_quote(record->segment.name, quoted));
    catch_up(room);
}

/* Not while a sync of the file that has failed is under way. */
static void collect_segment(ls_room *room)
{
    ls_room_record *record = &room->record;
    if (!ls_job_is_busy(&record->job) && ls_job_take(&record->segment.job))
        take_segment(room);
}

/* What is signed is on the disk no later than its signature. */
static void sign(ls_room *room)
{
    const ls_room_record *record = &room->record;
    ls_error error;
    if (is_recording(room) && record->sign_ticks &&
        ls_recorder_unsigned_ticks(record->recorder) >= record->sign_ticks &&
        ls_recorder_sign(record->recorder, &error) != LS_OK)
        note_failure(room, &error);
}

static void run(ls_job *job)
{
    ls_recorder_sync_run(&((ls_room_record *)job)->ticket);
}

void ls_room_record_sync(ls_room *room)
{
    ls_room_record *record = &room->record;
    sign(room);
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

static void run_begin(ls_job *job)
{
    ls_room_record *record = (ls_room_record *)job;
    record->status = ls_recorder_begin(&record->opening, &record->opened, &record->error);
}

void ls_room_record_begin(ls_room *room, const ls_recorder_config *config)
{
    ls_room_record *record = &room->record;
    record->header = *config->header;
    record->opening = *config;
    record->opening.header = &record->header;
    record->is_opening = true;
    record->job.run = run_begin;
    ls_job_submit(room->server->disk_jobs, &record->job);
}

static void take_opened(ls_room_record *record)
{
    record->is_opening = false;
    record->recorder = record->opened;
    record->opened = NULL;
}

bool ls_room_record_has_begun(ls_room *room)
{
    ls_room_record *record = &room->record;
    if (!record->is_opening || !ls_job_take(&record->job))
        return false;
    take_opened(record);
    return true;
}

/* Also one that has failed is closed here: a disk may take its time for that, too. */
static void run_finish(ls_job *job)
{
    ls_room_record *record = (ls_room_record *)job;
    ls_recorder *recorder = record->recorder;
    record->status =
        record->has_failed ? LS_OK : ls_recorder_finish(recorder, record->reason, &record->error);
    record->closed_bytes = ls_recorder_bytes(recorder);
    record->closed_unsynced_ticks = ls_recorder_unsynced_ticks(recorder);
    ls_recorder_destroy(recorder);
}

/* Once nothing else is under way: what a job of it brings belongs to the recording too. */
static void begin_finish(ls_room *room)
{
    ls_room_record *record = &room->record;
    if (!record->is_ending || ls_job_is_busy(&record->job) || ls_job_is_busy(&record->segment.job))
        return;
    record->is_ending = false;
    record->is_closing = record->recorder != NULL;
    record->is_finished = true;
    if (!record->is_closing)
        return;
    record->closing_bytes = ls_recorder_bytes(record->recorder);
    record->closing_unsynced_ticks = ls_recorder_unsynced_ticks(record->recorder);
    record->job.run = run_finish;
    ls_job_submit(room->server->disk_jobs, &record->job);
}

/* Behind the record's job. */
static void take_job(ls_room *room)
{
    ls_room_record *record = &room->record;
    ls_error error;
    if (record->is_opening) {
        take_opened(record);
    } else if (record->is_closing) {
        record->is_closing = false;
        record->recorder = NULL;
        record->closing_bytes = record->closed_bytes;
        record->closing_unsynced_ticks = record->closed_unsynced_ticks;
        if (record->status != LS_OK)
            note_failure(room, &record->error);
    } else if (ls_recorder_sync_end(record->recorder, &record->ticket, &error) != LS_OK) {
        note_failure(room, &error);
    }
}

void ls_room_record_collect(ls_room *room)
{
    ls_room_record *record = &room->record;
    if (ls_job_take(&record->job))
        take_job(room);
    collect_keyframe(room);
    collect_segment(room);
    begin_finish(room);
}

static void settle(ls_room *room)
{
    ls_room_record *record = &room->record;
    if (ls_job_is_busy(&record->job)) {
        ls_job_wait(room->server->disk_jobs, &record->job);
        take_job(room);
    }
    if (ls_job_is_busy(&record->segment.job)) {
        ls_job_wait(room->server->disk_jobs, &record->segment.job);
        take_segment(room);
    }
}

void ls_room_record_finish(ls_room *room, ls_closing_reason reason)
{
    room->record.is_ending = true;
    room->record.reason = reason;
    ls_room_record_collect(room); /* a job may be done */
    ls_room_record_collect(room); /* so may that which finishes it, without threads */
}

bool ls_room_record_is_over(const ls_room *room)
{
    const ls_room_record *record = &room->record;
    return record->is_finished && !record->is_closing;
}

void ls_room_record_close(ls_room *room)
{
    settle(room);
    ls_recorder_destroy(room->record.recorder);
    room->record.recorder = NULL;
    ls_segment_reset(&room->record.segment, room->server->disk_jobs);
}

void ls_room_record_header(const ls_room *room, ls_recording_header *header)
{
    const ls_server *server = room->server;
    *header = (ls_recording_header){
        .simulation = ls_recording_simulation_of(server->program),
        .match = room->match,
        .created_unix_s = (int64_t)server->now_unix_s,
    };
    ls_entropy_fill(&server->entropy, &header->salt, sizeof header->salt);
    snprintf(header->build, sizeof header->build, "%s", server->build);
    memcpy(header->server_key, server->handshake.identity.public_key.bytes,
           sizeof header->server_key);
}
