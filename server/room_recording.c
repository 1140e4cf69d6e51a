#include "server/room_recording.h"

#include "core/base/builder.h"
#include "core/base/platform.h"

#include <stdio.h>
#include <string.h>

/* Notes a write error. A failed file is never written again; the recording continues in a next
 * file, if segments are allowed. */
static void note_failure(ls_room_recording *self, const ls_error *error)
{
    self->checkpoints_failed = self->checkpoints_wanted;
    if (self->phase == LS_ROOM_RECORDING_FAILED)
        return;
    if (self->phase == LS_ROOM_RECORDING_RUNNING) {
        self->phase = LS_ROOM_RECORDING_FAILED;
        ls_next_file_want(&self->next_file, self->config.match->ring.next);
        ls_keyframes_restart(&self->keyframes);
    }
    self->had_failed = true;
    self->failures++;
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    ls_event_log_write(self->config.log, "recording_failed tick=%llu reason=%s",
                       (unsigned long long)self->config.match->ring.next,
                       ls_event_log_quote(error->text, reason));
}

static ls_room_recording_size size_of(const ls_recorder *recorder)
{
    return (ls_room_recording_size){.bytes = ls_recorder_bytes(recorder),
                                    .unsynced_ticks = ls_recorder_unsynced_ticks(recorder)};
}

static bool is_running(const ls_room_recording *self)
{
    return self->phase == LS_ROOM_RECORDING_RUNNING;
}

void ls_room_recording_add_frame(ls_room_recording *self, const ls_frame *frame)
{
    ls_error error;
    if (is_running(self) && ls_recorder_append(self->recorder, frame, &error) != LS_OK)
        note_failure(self, &error);
}

void ls_room_recording_add_root(ls_room_recording *self, uint64_t root)
{
    ls_error error;
    if (is_running(self) && ls_recorder_add_root(self->recorder, root, &error) != LS_OK)
        note_failure(self, &error);
}

/* Returns the tick from which a next file may begin. UINT64_MAX: none is wanted, or a job is making
 * it. */
static uint64_t next_file_due(const ls_room_recording *self)
{
    bool is_wanted = self->phase == LS_ROOM_RECORDING_FAILED && !self->keyframes.snapshot;
    return is_wanted ? ls_next_file_due(&self->next_file) : UINT64_MAX;
}

uint64_t ls_room_recording_tick_limit(const ls_room_recording *self)
{
    uint64_t due = next_file_due(self);
    /* A world that is already past the due tick does not stop: a keyframe or a failed attempt took
     * longer. */
    return ls_room_match_simulated(self->config.match) <= due ? due : UINT64_MAX;
}

bool ls_room_recording_wants_keyframe(const ls_room_recording *self)
{
    uint64_t tick = ls_room_match_simulated(self->config.match);
    if (self->phase == LS_ROOM_RECORDING_FAILED)
        return tick >= next_file_due(self);
    return is_running(self) && ls_keyframes_is_due(&self->keyframes, tick);
}

static void record_columns(ls_room_recording *self)
{
    const ls_driver *driver = &self->config.match->driver;
    ls_error error;
    if (is_running(self) && driver->columns_tick != UINT64_MAX &&
        ls_recorder_append_columns(self->recorder, driver->columns_tick, driver->columns,
                                   ls_program_column_count(self->config.host->program),
                                   &error) != LS_OK)
        note_failure(self, &error);
}

void ls_room_recording_add_world(ls_room_recording *self)
{
    ls_driver *driver = &self->config.match->driver;
    record_columns(self);
    ls_keyframes_measure(&self->keyframes, driver);
    if (driver->keyframe)
        ls_keyframes_pack(&self->keyframes, self->config.host->jobs, driver);
}

/* Records a keyframe. If the state is over the size limit, the recording continues without
 * keyframes. */
static bool record_keyframe(ls_room_recording *self, const ls_recording_keyframe *keyframe)
{
    ls_error error;
    ls_status status = LS_ERROR_LIMIT;
    if (!is_running(self))
        return false;
    if (keyframe->bytes)
        status = ls_recorder_append_keyframe(self->recorder, keyframe, &error);
    if (status == LS_ERROR_LIMIT) {
        ls_keyframes_stop(&self->keyframes);
        ls_event_log_write(self->config.log, "keyframe_too_large tick=%llu bytes=%zu",
                           (unsigned long long)keyframe->tick, keyframe->bytes);
    } else if (status != LS_OK)
        note_failure(self, &error);
    return status == LS_OK;
}

static void collect_keyframe(ls_room_recording *self)
{
    const ls_recording_keyframe *keyframe = ls_keyframes_take(&self->keyframes);
    if (!keyframe)
        return;
    bool is_full = keyframe->base_tick == keyframe->tick;
    if (self->phase == LS_ROOM_RECORDING_FAILED && is_full && keyframe->bytes &&
        keyframe->tick >= ls_next_file_due(&self->next_file))
        ls_next_file_begin(&self->next_file, self->config.host->disk_jobs,
                           &(ls_next_file_start){keyframe, self->recorder, self->config.epoch},
                           &self->config.host->entropy);
    else
        ls_keyframes_done(&self->keyframes, &self->config.match->driver,
                          record_keyframe(self, keyframe));
}

/* Whether ring and referee still have all frames and roots from `tick` on. */
static bool can_catch_up(const ls_room_recording *self, uint64_t tick)
{
    return tick >= ls_tick_ring_first(&self->config.match->ring) &&
           tick >= self->config.match->referee.first &&
           self->config.match->referee.next - tick <= LS_SERVER_ROOTS;
}

static void catch_up(ls_room_recording *self)
{
    ls_recorder *recorder = self->recorder;
    for (uint64_t tick = ls_recorder_tick(recorder); is_running(self); tick++) {
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        ls_reader reader;
        if (tick < self->config.match->referee.next)
            ls_room_recording_add_root(self,
                                       self->config.match->referee.roots[tick % LS_SERVER_ROOTS]);
        if (tick == self->config.match->ring.next)
            return;
        ls_ticks_body body = ls_tick_ring_body(&self->config.match->ring, tick);
        ls_reader_init(&reader, body.data, body.bytes);
        LS_ASSERT(ls_frame_decode(&reader, tick, self->config.match->config.player_count, inputs,
                                  &frame));
        ls_room_recording_add_frame(self, &frame);
    }
}

/* Continues the recording in the file that the job has made. */
static void take_next_file(ls_room_recording *self)
{
    uint64_t tick = self->next_file.keyframe->tick;
    ls_recorder *made = ls_next_file_take(&self->next_file);
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    bool goes_on = made && can_catch_up(self, tick);
    ls_keyframes_done(&self->keyframes, &self->config.match->driver, goes_on);
    if (!goes_on) {
        ls_recorder_destroy(made);
        ls_event_log_write(
            self->config.log, "segment_failed tick=%llu reason=%s", (unsigned long long)tick,
            ls_event_log_quote(made ? "the new file opened too late" : self->next_file.error.text,
                               quoted));
        return;
    }
    self->earlier_bytes += ls_recorder_bytes(self->recorder);
    ls_recorder_destroy(self->recorder);
    self->recorder = made;
    self->phase = LS_ROOM_RECORDING_RUNNING;
    self->segments = self->next_file.header.segment;
    ls_event_log_write(self->config.log, "segment tick=%llu name=%s", (unsigned long long)tick,
                       ls_event_log_quote(self->next_file.name, quoted));
    catch_up(self);
}

/* Takes the next file, but not before a running sync of the failed file has ended. */
static void collect_next_file(ls_room_recording *self)
{
    if (!ls_job_is_busy(&self->job) && ls_job_take(&self->next_file.job))
        take_next_file(self);
}

static void sign(ls_room_recording *self)
{
    ls_error error;
    if (is_running(self) && ls_recorder_sign(self->recorder, &error) != LS_OK)
        note_failure(self, &error);
}

static bool is_sign_due(const ls_room_recording *self)
{
    return is_running(self) && self->config.sign_ticks &&
           ls_recorder_unsigned_ticks(self->recorder) >= self->config.sign_ticks;
}

static bool is_sync_due(const ls_room_recording *self)
{
    return self->config.sync_ticks &&
           ls_recorder_unsynced_ticks(self->recorder) >= self->config.sync_ticks;
}

static void run(ls_job *job)
{
    ls_room_recording *self = (ls_room_recording *)job;
    uint64_t begun_ns = ls_monotonic_ns();
    ls_recorder_sync_run(&self->ticket);
    self->sync_ns = ls_monotonic_ns() - begun_ns;
}

void ls_room_recording_sync(ls_room_recording *self)
{
    bool is_wanted = self->begun.number < self->checkpoints_wanted && !ls_job_is_busy(&self->job);
    if (is_wanted || is_sign_due(self))
        sign(self);
    if (!is_running(self) || ls_job_is_busy(&self->job) || !(is_wanted || is_sync_due(self)))
        return;
    ls_error error;
    if (ls_recorder_sync_begin(self->recorder, &self->ticket, &error) != LS_OK) {
        note_failure(self, &error);
        return;
    }
    if (is_wanted)
        self->begun = (ls_recording_checkpoint){.number = self->checkpoints_wanted,
                                                .tick = ls_recorder_tick(self->recorder),
                                                .bytes = ls_recorder_bytes(self->recorder)};
    self->job.run = run;
    ls_job_submit(self->config.host->disk_jobs, &self->job);
    ls_room_recording_collect(self);
}

uint64_t ls_room_recording_checkpoint(ls_room_recording *self)
{
    uint64_t number = ++self->checkpoints_wanted;
    ls_room_recording_sync(self);
    return number;
}

char *ls_room_recording_name(const ls_room_recording *self)
{
    const char *first = self->next_file.first_name;
    return first && self->segments ? ls_series_name(first, self->segments)
                                   : ls_text_duplicate(first);
}

static void run_begin(ls_job *job)
{
    ls_room_recording *self = (ls_room_recording *)job;
    self->status = ls_recorder_begin(&self->opening, &self->opened, &self->error);
}

void ls_room_recording_header(const ls_room_recording *self, ls_recording_header *header)
{
    const ls_room_host *host = self->config.host;
    *header = (ls_recording_header){
        .simulation = ls_recording_simulation_of(host->program),
        .match = self->config.match->config,
        .created_unix_s = (int64_t)host->now_unix_s,
    };
    ls_entropy_fill(&host->entropy, &header->salt, sizeof header->salt);
    snprintf(header->build, sizeof header->build, "%s", host->build);
    memcpy(header->server_key, host->identity->public_key.bytes, sizeof header->server_key);
}

static void submit(ls_room_recording *self, void (*run_job)(ls_job *job))
{
    self->job.run = run_job;
    ls_job_submit(self->config.host->disk_jobs, &self->job);
}

ls_status ls_room_recording_begin(ls_room_recording *self, const ls_sink *sink, const char *name,
                                  bool in_job, ls_error *error)
{
    const ls_identity *identity = self->config.host->identity;
    ls_room_recording_header(self, &self->header);
    self->salt = self->header.salt;
    self->header.has_room = true;
    snprintf(self->header.room, sizeof self->header.room, "%s", self->config.room);
    ls_next_file_init(&self->next_file, name, &self->header, identity);
    self->opening = (ls_recorder_config){
        .sink = *sink, .name = name, .header = &self->header, .identity = identity};
    if (in_job) {
        self->phase = LS_ROOM_RECORDING_OPENING;
        submit(self, run_begin);
        return LS_OK;
    }
    ls_status status = ls_recorder_begin(&self->opening, &self->recorder, error);
    if (status == LS_OK)
        self->phase = LS_ROOM_RECORDING_RUNNING;
    return status;
}

static void take_opened(ls_room_recording *self)
{
    self->phase = self->opened ? LS_ROOM_RECORDING_RUNNING : LS_ROOM_RECORDING_OFF;
    self->had_failed = self->status != LS_OK;
    self->recorder = self->opened;
    self->opened = NULL;
}

bool ls_room_recording_has_opened(ls_room_recording *self)
{
    if (self->phase != LS_ROOM_RECORDING_OPENING || !ls_job_take(&self->job))
        return false;
    take_opened(self);
    return true;
}

/* The closing job. It closes a failed file too, because even that may wait for the disk. */
static void run_close(ls_job *job)
{
    ls_room_recording *self = (ls_room_recording *)job;
    ls_recorder *recorder = self->recorder;
    self->status = LS_OK;
    if (self->is_released) {
        self->status = ls_recorder_sign(recorder, &self->error);
        if (!self->status)
            self->status = ls_recorder_sync(recorder, &self->error);
        if (self->status)
            return; /* the recorder stays, as after each failed write */
    } else if (self->is_whole) {
        self->status = ls_recorder_finish(recorder, self->reason, &self->error);
    }
    self->closed_size = size_of(recorder);
    ls_recorder_destroy(recorder);
}

static void fail_release(ls_room_recording *self)
{
    self->is_released = false;
    self->release_failed = true;
}

/* Submits the closing job once no other job works on the file, so that their results are in it. */
static void begin_close(ls_room_recording *self)
{
    if (!self->has_end || ls_job_is_busy(&self->job) || ls_job_is_busy(&self->next_file.job))
        return;
    self->has_end = false;
    self->is_whole = self->phase != LS_ROOM_RECORDING_FAILED;
    if (self->is_released && !self->is_whole) {
        fail_release(self);
        return;
    }
    if (!self->recorder) {
        self->phase = LS_ROOM_RECORDING_CLOSED;
        return;
    }
    self->size = ls_room_recording_get_size(self);
    self->phase = LS_ROOM_RECORDING_CLOSING;
    submit(self, run_close);
}

/* Takes the result of the file's job. */
static void take_job(ls_room_recording *self)
{
    ls_error error;
    if (self->phase == LS_ROOM_RECORDING_OPENING) {
        take_opened(self);
    } else if (self->phase == LS_ROOM_RECORDING_CLOSING && self->is_released && self->status) {
        fail_release(self);
        self->phase = LS_ROOM_RECORDING_RUNNING;
        note_failure(self, &self->error);
    } else if (self->phase == LS_ROOM_RECORDING_CLOSING) {
        self->phase = LS_ROOM_RECORDING_CLOSED;
        self->recorder = NULL;
        self->size = self->closed_size;
        self->is_whole &= self->status == LS_OK;
        if (self->status != LS_OK)
            note_failure(self, &self->error);
        if (self->is_whole)
            self->durable = (ls_recording_checkpoint){.number = self->checkpoints_wanted,
                                                      .tick = self->config.match->ring.next,
                                                      .bytes = self->size.bytes};
    } else if (ls_recorder_sync_end(self->recorder, &self->ticket, &error) != LS_OK) {
        note_failure(self, &error);
    } else {
        ls_histogram_add(&self->syncs, self->sync_ns);
        self->durable = self->begun;
    }
}

void ls_room_recording_collect(ls_room_recording *self)
{
    if (ls_job_take(&self->job))
        take_job(self);
    collect_keyframe(self);
    collect_next_file(self);
    begin_close(self);
}

void ls_room_recording_finish(ls_room_recording *self, ls_closing_reason reason)
{
    self->has_end = true;
    self->reason = reason;
    /* The second call takes the closing job's result: without threads that job has already run. */
    ls_room_recording_collect(self);
    ls_room_recording_collect(self);
}

void ls_room_recording_release(ls_room_recording *self)
{
    self->is_released = true;
    ls_room_recording_finish(self, LS_CLOSING_DRAINED);
}

void ls_room_recording_close(ls_room_recording *self)
{
    ls_jobs *jobs = self->config.host->disk_jobs;
    if (ls_job_is_busy(&self->job)) {
        ls_job_wait(jobs, &self->job);
        take_job(self);
    }
    if (ls_job_is_busy(&self->next_file.job)) {
        ls_job_wait(jobs, &self->next_file.job);
        take_next_file(self);
    }
    if (self->recorder) {
        self->earlier_bytes += ls_recorder_bytes(self->recorder);
        self->size = (ls_room_recording_size){0};
    }
    ls_recorder_destroy(self->recorder);
    self->recorder = NULL;
    if (self->phase != LS_ROOM_RECORDING_CLOSED)
        self->phase = LS_ROOM_RECORDING_OFF;
    ls_next_file_reset(&self->next_file, jobs);
}

ls_room_recording_size ls_room_recording_get_size(const ls_room_recording *self)
{
    if (!self->recorder || self->phase == LS_ROOM_RECORDING_CLOSING)
        return self->size;
    ls_room_recording_size size = size_of(self->recorder);
    if (self->phase == LS_ROOM_RECORDING_FAILED)
        size.unsynced_ticks += self->config.match->ring.next - ls_recorder_tick(self->recorder);
    return size;
}

uint64_t ls_room_recording_written_bytes(const ls_room_recording *self)
{
    return self->earlier_bytes + ls_room_recording_get_size(self).bytes;
}

void ls_room_recording_resume(ls_room_recording *self, const ls_series *series, const char *name,
                              ls_recorder *recorder)
{
    const ls_identity *identity = self->config.host->identity;
    const ls_recording_header *last = ls_recording_get_header(ls_series_last(series));
    self->salt = ls_recording_get_header(series->files[0])->salt;
    self->segments = last->segment;
    if (!recorder)
        return;
    self->recorder = recorder;
    self->earlier_bytes -= ls_recorder_bytes(recorder);
    self->phase = LS_ROOM_RECORDING_RUNNING;
    ls_next_file_init(&self->next_file, name, last, identity);
    self->is_unsigned = !ls_recorder_sign_with(recorder, identity);
    if (self->is_unsigned)
        ls_event_log_write(self->config.log, "recording_unsigned reason=\"another identity\"");
}

static void begin_epoch(ls_room_recording *self)
{
    ls_error error;
    if (ls_recorder_begin_epoch(self->recorder, self->config.epoch,
                                (int64_t)self->config.host->now_unix_s, &error) != LS_OK)
        note_failure(self, &error);
}

void ls_room_recording_resumed(ls_room_recording *self)
{
    const ls_referee *referee = &self->config.match->referee;
    if (!self->recorder)
        return;
    for (uint64_t tick = ls_recorder_root_tick(self->recorder); tick < referee->next; tick++)
        ls_room_recording_add_root(self, referee->roots[tick % LS_SERVER_ROOTS]);
    if (is_running(self) && self->config.epoch > ls_recorder_epoch(self->recorder))
        begin_epoch(self);
    uint64_t lowest = ls_recorder_next_keyframe(self->recorder);
    self->keyframes.due = self->keyframes.due < lowest ? lowest : self->keyframes.due;
}

void ls_room_recording_init(ls_room_recording *self, const ls_room_recording_config *config)
{
    self->config = *config;
    ls_keyframes_init(&self->keyframes, config->keyframe_ticks, config->keyframe_s_max,
                      config->match->config.tick_rate);
    self->next_file.open = config->open_segment;
    self->job.flag = self->next_file.job.flag = self->keyframes.job.flag = config->flag;
}
