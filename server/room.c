#include <lockstep/room.h>

#include "server/desync_inquiry.h"
#include "server/resume_match.h"
#include "server/room_internal.h"
#include "server/room_recording.h"
#include "server/seats_file.h"
#include "server/tick_loop.h"

#include "proto/text.h"
#include <lockstep/evidence_limits.h>

#include <stdio.h>
#include <string.h>

ls_room_config ls_room_config_default(void)
{
    return (ls_room_config){.sync_ticks = LS_RECORDER_SYNC_TICKS_DEFAULT,
                            .sign_ticks = LS_ROOM_SIGN_TICKS_DEFAULT,
                            .column_ticks = LS_ROOM_COLUMN_TICKS_DEFAULT,
                            .keyframe_ticks = LS_ROOM_TICKS_AUTO,
                            .wait_players = 1,
                            .evidence_ms = LS_SERVER_EVIDENCE_MS,
                            .evidence_bytes = LS_SERVER_EVIDENCE_BYTES};
}

static ls_status check_config(const ls_room_config *config, const ls_match *match, ls_error *error)
{
    const char *name = config->name ? config->name : "";
    if (strlen(name) >= LS_ROOM_BYTES || !ls_text_is_valid(name))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a room's name has at most %u bytes and no control characters",
                            LS_ROOM_BYTES - 1);
    if (config->column_ticks && config->column_ticks < LS_ROOM_COLUMN_TICKS_MIN)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "column hashes every %u ticks: possible is every %u, or more rarely",
                            config->column_ticks, LS_ROOM_COLUMN_TICKS_MIN);
    if (config->evidence_ms > LS_SERVER_EVIDENCE_MS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "evidence is kept for at most %d ms, not %u",
                            LS_SERVER_EVIDENCE_MS_MAX, config->evidence_ms);
    if (config->wait_players > match->player_count)
        return ls_error_set(error, LS_ERROR_USAGE, "cannot wait for %u players: there are %u seats",
                            config->wait_players, match->player_count);
    return LS_OK;
}

void ls_room_config_close(const ls_room_config *config)
{
    if (config->sink)
        config->sink->close(config->sink->context);
    ls_recorder_destroy(config->recorder);
    ls_series_close(config->history);
}

static ls_status begin_recording(ls_room *room, const ls_room_config *config, ls_error *error)
{
    const ls_server *server = room->server;
    ls_recording_header header;
    ls_room_record_header(room, &header);
    room->record.salt = header.salt;
    const char *name = config->recording_name ? config->recording_name : "recording";
    ls_segment_init(&room->record.segment, name, &header, &server->handshake.identity);
    const ls_recorder_config recorder = {
        .sink = *config->sink,
        .name = name,
        .header = &header,
        .identity = &server->handshake.identity,
    };
    /* Whoever asks for a room must not hold up those that are there. */
    if (config->is_on_request && server->disk_jobs) {
        room->state = LS_ROOM_RESTORING;
        ls_room_record_begin(room, &recorder);
        return LS_OK;
    }
    return ls_recorder_begin(&recorder, &room->record.recorder, error);
}

void ls_room_open(ls_room *room, uint64_t now_ns)
{
    ls_room_record *record = &room->record;
    if (!ls_room_record_has_begun(room))
        return;
    room->state = LS_ROOM_WAITING;
    if (record->status != LS_OK) {
        char reason[LS_EVENT_LOG_QUOTED_BYTES];
        record->had_failed = true;
        ls_event_log_write(&room->journal, "room_failed reason=%s",
                           ls_event_log_quote(record->error.text, reason));
        ls_tick_loop_end(room, LS_CLOSING_FAILED, record->error.text, now_ns);
        return;
    }
    ls_room_record_root(room, room->referee.roots[0]);
    if (room->wants_drain)
        ls_tick_loop_end(room, LS_CLOSING_DRAINED, "", now_ns);
}

static ls_room *make(ls_server *server, const ls_room_config *config)
{
    ls_room *room = ls_alloc(sizeof *room);
    room->server = server;
    snprintf(room->name, sizeof room->name, "%s", config->name ? config->name : "");
    room->match =
        config->history ? ls_recording_get_header(config->history->files[0])->match : config->match;
    room->wait_players = config->wait_players;
    room->lag_ticks_max = config->lag_ticks_max
                              ? config->lag_ticks_max
                              : (uint32_t)(LS_SERVER_LAG_NS / LS_SECOND_NS) * room->match.tick_rate;
    /* What is to be simulated comes from the ring: beyond it there is nothing to catch up with. */
    if (room->lag_ticks_max > LS_SERVER_RING_TICKS - LS_DRIVER_TICKS)
        room->lag_ticks_max = LS_SERVER_RING_TICKS - LS_DRIVER_TICKS;
    room->epoch = config->epoch;
    room->ticks_max = config->ticks_max;
    room->end_when_empty = config->end_when_empty;
    room->is_on_request = config->is_on_request;
    room->players_may_pause = config->players_may_pause;
    room->policy = config->policy;
    room->desync = config->desync;
    room->evidence.open = config->open_evidence;
    room->evidence.context = config->evidence_context;
    snprintf(room->evidence.recording, sizeof room->evidence.recording, "%s",
             config->recording_name ? config->recording_name : "");
    room->record.sync_ticks = config->sync_ticks;
    room->record.sign_ticks = config->sign_ticks;
    ls_keyframes_init(&room->record.keyframes, config->keyframe_ticks, room->match.tick_rate);
    room->state = LS_ROOM_WAITING;
    room->pause_player = room->match.player_count;
    return room;
}

static void init_parts(ls_room *room, const ls_room_config *config, ls_world *world)
{
    const ls_server *server = room->server;
    room->number = room->server->room_number++;
    ls_event_log_init(&room->journal, server->journal.log, server->journal.context, room->name);
    ls_seats_init(&room->seats, ls_program_sim(server->program), &room->match);
    ls_tick_ring_init(&room->ring, 0, ls_tick_ring_ticks(room->match.tick_rate));
    ls_referee_init(&room->referee, 0);
    ls_referee_push(&room->referee, ls_world_root(world));
    ls_driver_init(&room->driver, world, config->executor);
    if (config->evidence_ms)
        ls_driver_keep_past(&room->driver,
                            ls_state_history_ticks(config->evidence_ms, room->match.tick_rate),
                            config->evidence_bytes);
    if (config->sink || config->recorder)
        room->driver.columns_ticks = config->column_ticks;
    ls_snapshot_cache_init(&room->snapshots);
    uint8_t *flag = room->flag = &server->room_flags[room->slot];
    room->driver.job.flag = room->snapshots.job.flag = flag;
    room->record.segment.job.flag = flag;
    room->record.job.flag = room->restore.job.flag = room->record.keyframes.job.flag = flag;
    ls_flag_raise(room->flag);
}

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(ls_alloc(bytes), text, bytes);
}

/* What belongs to the match is known by its first file; the last one is gone on with. */
static void take_history(ls_room *room, const ls_room_config *config)
{
    const ls_series *history = room->restore.history = config->history;
    const ls_recording_header *last = ls_recording_get_header(ls_series_last(history));
    const char *name = config->recording_name ? config->recording_name : "recording";
    room->restore.note = config->recording_name ? config->note_restore : NULL;
    if (room->restore.note)
        room->restore.name = copy_text(config->recording_name);
    room->record.salt = ls_recording_get_header(history->files[0])->salt;
    room->record.segments = last->segment;
    if (config->recorder)
        ls_segment_init(&room->record.segment, name, last, &room->server->handshake.identity);
}

ls_status ls_room_create(ls_server *server, const ls_room_config *config, uint32_t slot,
                         ls_room **result, ls_error *error)
{
    *result = NULL;
    ls_world *world = NULL;
    ls_room *room = make(server, config);
    ls_status status = check_config(config, &room->match, error);
    if (status == LS_OK)
        status = ls_world_create(server->program, &room->match, &world, error);
    if (status != LS_OK) {
        ls_room_config_close(config);
        ls_free(room);
        return status;
    }
    room->slot = slot;
    init_parts(room, config, world);
    room->record.recorder = config->recorder;
    room->record.segment.open = config->open_segment;
    if (config->history)
        take_history(room, config);
    if (config->recorder && !ls_recorder_sign_with(config->recorder, &server->handshake.identity))
        ls_event_log_write(&room->journal, "recording_unsigned reason=\"another identity\"");
    if (config->sink)
        status = begin_recording(room, config, error);
    if (status != LS_OK) {
        ls_room_destroy(room);
        return status;
    }
    if (room->restore.history)
        ls_resume_begin(room, config->seats);
    else if (!room->record.is_opening)
        ls_room_record_root(room, room->referee.roots[0]);
    *result = room;
    return LS_OK;
}

/* A thread is at work in its simulation, perhaps for ever, and nothing tells it to stop. World,
 * driver, executor, history, ring, seats and the room around them are leaked on purpose: that
 * thread must never find one of them freed. Its files are closed, and what it cannot know given
 * back. */
static void leave(ls_room *room)
{
    ls_jobs *jobs = room->server->jobs;
    ls_room_record_close(room);
    ls_job_wait(jobs, &room->record.keyframes.job);
    /* Its snapshot shares pages with the world. */
    room->snapshots.snapshot = ls_snapshot_cache_reset(&room->snapshots, jobs);
}

void ls_room_destroy(ls_room *room)
{
    ls_jobs *jobs = room->server->jobs;
    ls_world *world = room->driver.world;
    if (room->is_lost) {
        leave(room);
        return;
    }
    ls_job_wait(jobs, &room->restore.job);
    ls_free(room->restore.name);
    ls_series_close(room->restore.history);
    ls_room_record_close(room);
    ls_snapshot *packing = ls_snapshot_cache_reset(&room->snapshots, jobs);
    ls_job_wait(jobs, &room->driver.job);
    ls_room_evidence_reset(room);
    ls_driver_reset(&room->driver, jobs);
    ls_keyframes_reset(&room->record.keyframes, jobs, &room->driver);
    ls_snapshot_destroy(packing);
    ls_tick_ring_reset(&room->ring);
    ls_seats_reset(&room->seats);
    if (!room->is_world_taken)
        ls_world_destroy(world);
    ls_wipe(room, sizeof *room);
    ls_free(room);
}

ls_room_stats ls_room_get_stats(const ls_room *room)
{
    ls_room_stats stats = room->stats;
    bool is_hidden = room->state == LS_ROOM_RESTORING || (room->is_lost && room->restore.history);
    stats.state = room->state;
    stats.is_lost = room->is_lost;
    stats.is_paused = !is_hidden && room->is_paused;
    stats.tick = is_hidden ? 0 : room->ring.next;
    stats.simulated = is_hidden ? 0 : room->referee.next - 1;
    stats.recording_failed = room->record.had_failed;
    stats.recording_segments = room->record.segments;
    if (room->record.recorder && !room->record.is_closing) {
        stats.recording_bytes = ls_recorder_bytes(room->record.recorder);
        stats.recording_unsynced_ticks = ls_recorder_unsynced_ticks(room->record.recorder);
    } else { /* closed, or a job closes it and has it for itself */
        stats.recording_bytes = room->record.closing_bytes;
        stats.recording_unsynced_ticks = room->record.closing_unsynced_ticks;
    }
    return stats;
}

const char *ls_room_name(const ls_room *room)
{
    return room->name;
}

ls_world *ls_room_world(ls_room *room)
{
    ls_jobs *jobs = room->server->jobs;
    if (room->is_lost)
        return NULL;
    if (jobs && ls_job_is_busy(&room->driver.job) && !ls_job_is_finished(&room->driver.job))
        jobs->wait(jobs, &room->driver.job);
    return room->driver.world;
}

ls_world *ls_room_idle_world(ls_room *room)
{
    bool is_busy = ls_job_is_busy(&room->driver.job) || ls_job_is_busy(&room->restore.job);
    return is_busy ? NULL : room->driver.world;
}

ls_world *ls_room_take_world(ls_room *room)
{
    ls_world *world = ls_room_idle_world(room);
    room->is_world_taken = world != NULL;
    return world;
}

uint64_t ls_room_final_root(const ls_room *room)
{
    return room->final_root;
}

const char *ls_room_end_reason(const ls_room *room)
{
    return room->end_reason;
}

void ls_room_pause(ls_room *room, bool wants_pause)
{
    room->wants_pause = wants_pause;
    room->pause_player = room->match.player_count;
    ls_flag_raise(room->flag);
}

void ls_room_drain(ls_room *room, uint64_t now_ns)
{
    ls_flag_raise(room->flag);
    if (!room->drained_ns)
        room->drained_ns = now_ns;
    /* What is being simulated again belongs to its job: it ends behind that. */
    if (room->state == LS_ROOM_RESTORING)
        room->wants_drain = true;
    else
        ls_tick_loop_end(room, LS_CLOSING_DRAINED, "", now_ns);
}

uint64_t ls_room_seats_version(const ls_room *room)
{
    return room->seats_version;
}

void ls_room_seats(const ls_room *room, ls_seats_file *file)
{
    *file = (ls_seats_file){.salt = room->record.salt, .epoch = room->epoch};
    memcpy(file->room, room->name, sizeof file->room);
    for (uint32_t i = 0; i < room->match.player_count; i++) {
        const ls_seat *seat = &room->seats.items[i];
        if (!seat->has_secret)
            continue;
        ls_seats_file_seat *to = &file->seats[file->count++];
        to->seat = (uint8_t)i;
        memcpy(to->secret_hash, seat->secret, sizeof to->secret_hash);
        memcpy(to->client, seat->client, sizeof to->client);
        memcpy(to->name, seat->name, sizeof to->name);
    }
}
