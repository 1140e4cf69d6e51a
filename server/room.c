#include <lockstep/room.h>

#include "core/base/bounds.h"
#include "core/base/builder.h"
#include "server/desync_inquiry.h"
#include "server/resume_match.h"
#include "server/room_config_internal.h"
#include "server/room_end.h"
#include "server/room_internal.h"
#include "server/seats_file.h"
#include "server/sessions.h"

#include <stdio.h>
#include <string.h>

static const char *recording_name(const ls_room_config *config)
{
    return config->recording_name ? config->recording_name : "recording";
}

/* Begins the recording. For a room that a client asked for, a job does so: other rooms must not
 * wait for the disk. */
static ls_status begin_recording(ls_room *room, const ls_room_config *config, ls_error *error)
{
    bool in_job = config->is_on_request && room->host->disk_jobs;
    if (in_job)
        room->state = LS_ROOM_RESTORING;
    return ls_room_recording_begin(&room->recording, config->sink, recording_name(config), in_job,
                                   error);
}

void ls_room_open(ls_room *room, uint64_t now_ns)
{
    const ls_room_recording *recording = &room->recording;
    if (!ls_room_recording_has_opened(&room->recording))
        return;
    room->state = LS_ROOM_WAITING;
    if (recording->status != LS_OK) {
        char reason[LS_EVENT_LOG_QUOTED_BYTES];
        ls_event_log_write(&room->log, "room_failed reason=%s",
                           ls_event_log_quote(recording->error.text, reason));
        ls_room_end(room, LS_CLOSING_FAILED, recording->error.text, now_ns);
        return;
    }
    ls_room_recording_add_root(&room->recording, room->match.referee.roots[0]);
    if (room->wants_drain)
        ls_room_end(room, LS_CLOSING_DRAINED, "", now_ns);
}

static ls_room *make(ls_server *server, const ls_room_config *config)
{
    ls_room *room = ls_alloc(sizeof *room);
    room->server = server;
    room->host = &server->host;
    snprintf(room->name, sizeof room->name, "%s", config->name ? config->name : "");
    room->match.config =
        config->series ? ls_recording_get_header(config->series->files[0])->match : config->match;
    room->wait_players = config->wait_players;
    room->lag_ticks_max = config->lag_ticks_max ? config->lag_ticks_max
                                                : (uint32_t)(LS_SERVER_LAG_NS / LS_SECOND_NS) *
                                                      room->match.config.tick_rate;
    /* The frames to simulate come from the ring, so a larger lag could not be caught up. */
    if (room->lag_ticks_max > LS_SERVER_RING_TICKS - LS_DRIVER_TICKS)
        room->lag_ticks_max = LS_SERVER_RING_TICKS - LS_DRIVER_TICKS;
    room->epoch = config->epoch;
    room->ticks_max = config->ticks_max;
    room->end_when_empty = config->end_when_empty;
    room->is_on_request = config->is_on_request;
    room->unused_ns = config->unused_s ? config->unused_s * LS_SECOND_NS : LS_SERVER_UNUSED_NS;
    room->requires_token = config->require_token;
    room->players_may_pause = config->players_may_pause;
    room->keep_seats_ns = config->keep_seats_s * LS_SECOND_NS;
    room->policy = config->policy;
    room->desync = config->desync;
    room->evidence.open = config->open_evidence;
    room->evidence.context = config->evidence_context;
    snprintf(room->evidence.recording, sizeof room->evidence.recording, "%s",
             config->recording_name ? config->recording_name : "");
    room->state = LS_ROOM_WAITING;
    room->clock.tick_rate = room->match.config.tick_rate;
    room->pause.player = room->match.config.player_count;
    return room;
}

static void init_parts(ls_room *room, const ls_room_config *config, ls_world *world)
{
    const ls_server *server = room->server;
    room->number = room->server->room_number++;
    ls_event_log_init(&room->log, server->log.log, server->log.context, room->name);
    ls_seats_init(&room->match.seats, ls_program_sim(server->host.program), &room->match.config);
    ls_tick_ring_init(&room->match.ring, 0, ls_tick_ring_ticks(room->match.config.tick_rate));
    ls_referee_init(&room->match.referee, 0);
    ls_referee_push(&room->match.referee, ls_world_root(world));
    ls_driver_init(&room->match.driver, world, config->executor);
    if (config->evidence_ms)
        ls_driver_keep_history(
            &room->match.driver,
            ls_state_history_ticks(config->evidence_ms, room->match.config.tick_rate),
            config->evidence_bytes);
    if (config->sink || config->recorder)
        room->match.driver.columns_ticks = config->column_ticks;
    ls_snapshot_cache_init(&room->snapshots);
    uint8_t *flag = room->flag = &server->room_flags[room->slot];
    room->match.driver.job.flag = room->snapshots.job.flag = flag;
    room->resume.job.flag = flag;
    ls_room_recording_init(&room->recording,
                           &(ls_room_recording_config){.host = room->host,
                                                       .match = &room->match,
                                                       .log = &room->log,
                                                       .flag = flag,
                                                       .room = room->name,
                                                       .epoch = config->epoch,
                                                       .sync_ticks = config->sync_ticks,
                                                       .sign_ticks = config->sign_ticks,
                                                       .keyframe_ticks = config->keyframe_ticks,
                                                       .keyframe_s_max = config->keyframe_s_max,
                                                       .open_segment = config->open_segment});
    ls_flag_raise(room->flag);
}

static void take_history(ls_room *room, const ls_room_config *config)
{
    room->resume.series = config->series;
    room->resume.note = config->recording_name ? config->note_restore : NULL;
    if (room->resume.note)
        room->resume.name = ls_text_duplicate(config->recording_name);
    ls_room_recording_resume(&room->recording, config->series, recording_name(config),
                             config->recorder);
}

ls_status ls_room_create(ls_server *server, const ls_room_config *config, uint32_t slot,
                         ls_room **result, ls_error *error)
{
    *result = NULL;
    ls_world *world = NULL;
    ls_room *room = make(server, config);
    ls_status status = ls_room_config_check(config, &room->match.config, error);
    if (status == LS_OK)
        status = ls_world_create(server->host.program, &room->match.config, &world, error);
    if (status != LS_OK) {
        ls_room_config_close(config);
        ls_free(room);
        return status;
    }
    room->slot = slot;
    init_parts(room, config, world);
    if (config->series)
        take_history(room, config);
    if (config->sink)
        status = begin_recording(room, config, error);
    if (status != LS_OK) {
        ls_room_destroy(room);
        return status;
    }
    if (room->resume.series)
        ls_resume_begin(room, config->seats);
    else if (room->recording.phase != LS_ROOM_RECORDING_OPENING)
        ls_room_recording_add_root(&room->recording, room->match.referee.roots[0]);
    *result = room;
    return LS_OK;
}

/* Releases parts of a lost room. A thread may run its simulation forever and cannot be stopped, and
 * must never use freed memory. So world, driver, executor, history, ring, seats and the room are
 * leaked on purpose. Only files and snapshots that the thread cannot reach are released. */
static void leave(ls_room *room)
{
    ls_jobs *jobs = room->host->jobs;
    ls_room_recording_close(&room->recording);
    ls_job_wait(jobs, &room->recording.keyframes.job);
    /* The snapshot shares pages with the world, so the cache gives it back and the room that is
     * lost keeps it. */
    room->snapshots.snapshot = ls_snapshot_cache_reset(&room->snapshots, jobs);
}

void ls_room_destroy(ls_room *room)
{
    ls_jobs *jobs = room->host->jobs;
    ls_world *world = room->match.driver.world;
    if (room->is_lost) {
        leave(room);
        return;
    }
    ls_job_wait(jobs, &room->resume.job);
    ls_free(room->resume.name);
    ls_series_close(room->resume.series);
    ls_room_recording_close(&room->recording);
    ls_snapshot *packing = ls_snapshot_cache_reset(&room->snapshots, jobs);
    ls_job_wait(jobs, &room->match.driver.job);
    ls_desync_inquiry_reset(room);
    ls_driver_reset(&room->match.driver, jobs);
    ls_keyframes_reset(&room->recording.keyframes, jobs, &room->match.driver);
    ls_snapshot_destroy(packing);
    ls_tick_ring_reset(&room->match.ring);
    ls_seats_reset(&room->match.seats);
    if (!room->is_world_taken)
        ls_world_destroy(world);
    ls_wipe(room, sizeof *room);
    ls_free(room);
}

/* Returns the largest number of closed ticks that some player has not acknowledged. */
static uint64_t ticks_behind(const ls_room *room)
{
    uint64_t max = 0, next = room->match.ring.next;
    for (const ls_server_session *session = room->sessions; session; session = session->next) {
        bool is_player = session->seat != LS_SEAT_NONE && session->wants_ticks;
        if (is_player && session->ack < next && next - session->ack > max)
            max = next - session->ack;
    }
    return max;
}

/* A match that is being restored has all ticks of its recording, and has run those that the job has
 * read. Nothing of the match itself is read, because the job has it. */
static void show_restored(const ls_room *room, ls_room_stats *stats)
{
    uint64_t progress = __atomic_load_n(&room->resume.progress, __ATOMIC_RELAXED);
    stats->tick = room->state == LS_ROOM_RESTORING ? room->resume.end_tick : 0;
    stats->simulated = ls_min(progress ? progress - 1 : 0, stats->tick);
}

ls_room_stats ls_room_get_stats(const ls_room *room)
{
    ls_room_stats stats = room->stats;
    bool is_hidden = room->state == LS_ROOM_RESTORING || (room->is_lost && room->resume.series);
    stats.state = room->state;
    stats.is_lost = room->is_lost;
    stats.is_paused = !is_hidden && room->match.is_paused;
    stats.late_p50_ns = ls_histogram_permille(&room->late, 500);
    stats.late_p99_ns = ls_histogram_permille(&room->late, 990);
    stats.late_max_ns = room->late.max_ns;
    if (is_hidden) {
        show_restored(room, &stats);
    } else {
        stats.tick = room->match.ring.next;
        stats.simulated = room->match.referee.next - 1;
        stats.behind_ns = ticks_behind(room) * ls_tick_clock_period_ns(&room->clock);
    }
    stats.recording_failed = room->recording.had_failed;
    stats.recording_segments = room->recording.segments;
    ls_room_recording_size size = ls_room_recording_get_size(&room->recording);
    stats.recording_bytes = size.bytes;
    stats.recording_unsynced_ticks = size.unsynced_ticks;
    return stats;
}

const char *ls_room_name(const ls_room *room)
{
    return room->name;
}

ls_world *ls_room_world(ls_room *room)
{
    ls_jobs *jobs = room->host->jobs;
    if (room->is_lost)
        return NULL;
    if (jobs && ls_job_is_busy(&room->match.driver.job) &&
        !ls_job_is_finished(&room->match.driver.job))
        jobs->wait(jobs, &room->match.driver.job);
    return room->match.driver.world;
}

ls_world *ls_room_idle_world(ls_room *room)
{
    bool is_busy = ls_job_is_busy(&room->match.driver.job) || ls_job_is_busy(&room->resume.job);
    return is_busy ? NULL : room->match.driver.world;
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

void ls_room_extend(ls_room *room, uint64_t time_ns)
{
    ls_seats_extend(&room->match.seats, time_ns);
    if (room->clock.held_since_ns) {
        room->clock.held_since_ns += time_ns;
        room->pause.since_ns += time_ns;
    }
}

bool ls_room_pause(ls_room *room, bool wants_pause)
{
    if (room->pause.is_wanted == wants_pause)
        return false;
    room->pause.is_wanted = wants_pause;
    room->pause.player = room->match.config.player_count;
    ls_flag_raise(room->flag);
    return true;
}

uint32_t ls_room_say(ls_room *room, const char *text, uint64_t now_ns)
{
    ls_notice notice = {.kind = LS_NOTICE_SAY};
    ls_plain plain;
    uint32_t count = 0;
    snprintf(notice.text, sizeof notice.text, "%s", text);
    ls_notice_encode(&notice, &plain);
    for (ls_server_session *session = room->sessions, *next; session; session = next) {
        next = session->next; /* sending can end a session */
        if (session->entrant.capabilities & LS_CAPABILITY_SAY)
            count += ls_sessions_send(session, &plain, now_ns);
    }
    return count;
}

void ls_room_drain(ls_room *room, uint64_t now_ns)
{
    ls_flag_raise(room->flag);
    if (!room->drained_ns)
        room->drained_ns = now_ns;
    /* While the match is being restored, the job owns it. The room ends after that. */
    if (room->state == LS_ROOM_RESTORING)
        room->wants_drain = true;
    else
        ls_room_end(room, LS_CLOSING_DRAINED, "", now_ns);
}

uint64_t ls_room_seats_version(const ls_room *room)
{
    return room->seats_version;
}

void ls_room_seats(const ls_room *room, ls_seats_file *file)
{
    *file = (ls_seats_file){.salt = room->recording.salt,
                            .epoch = room->epoch,
                            .requires_token = room->requires_token,
                            .is_on_request = room->is_on_request};
    memcpy(file->room, room->name, sizeof file->room);
    for (uint32_t i = 0; i < room->match.config.player_count; i++) {
        const ls_seat *seat = &room->match.seats.items[i];
        if (!seat->has_secret)
            continue;
        ls_seats_file_seat *to = &file->seats[file->count++];
        to->seat = (uint8_t)i;
        to->is_light = seat->is_light;
        to->was_resynced = seat->was_resynced;
        to->was_asked = seat->was_asked;
        memcpy(to->secret_hash, seat->secret, sizeof to->secret_hash);
        memcpy(to->client, seat->client, sizeof to->client);
        memcpy(to->name, seat->name, sizeof to->name);
    }
}
