#include "cli/serve/rooms.h"

#include "cli/common/clock.h"
#include "cli/common/signals.h"
#include "cli/serve/broadcast.h"
#include "cli/serve/quarantine.h"
#include "cli/serve/recordings.h"
#include "cli/serve/resume_list.h"
#include "cli/serve/room_end.h"
#include "core/base/platform_file.h"
#include "server/event_log.h"
#include "server/seats_file.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/file_sink.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The most closed rooms with unfinished disk work. */
#define ENDINGS_MAX 256

/* The files of one room and the jobs that write them. */
struct place {
    ls_job job;         /* writes `file`; must be the first member */
    ls_room *room;      /* NULL: no room */
    bool is_new;        /* the place is for a room that is being opened */
    bool is_over;       /* the room is closed: the ending begins when the job is done */
    ls_room_end ending; /* busy until its job's result was taken */
    uint64_t number, seed;
    ls_sink sink;                      /* for the recording, until the room owns it */
    char recording[LS_PATH_BYTES_MAX]; /* "": none */
    char evidence[LS_PATH_BYTES_MAX];  /* the last bundle; "": no client has diverged */
    char seats[LS_PATH_BYTES_MAX];
    uint64_t version; /* version of the seats that were last submitted to be written */
    uint64_t desyncs[LS_SERVER_INQUIRIES]; /* ticks for which evidence files were opened */
    uint32_t desync_count, evidence_count; /* evidence_count: files from before a crash */
    ls_seats_file file;
    ls_status status;
    ls_error error;
};

struct ls_rooms {
    ls_rooms_config config;
    ls_server *server;
    struct place **places; /* rooms_max of the server; allocated when needed */
    uint32_t place_count;
    uint64_t opened;
    uint64_t seats_version; /* the server's version when the seats were last checked */
    bool has_work;          /* a place is new, over, or has a running job */
    int lock;               /* locks the folder while a recording gets its name; -1: none */
    bool has_failed_recording;
    char failed_recording[LS_PATH_BYTES_MAX];
    uint32_t failed_matches;
};

static void write_seats(ls_job *job)
{
    struct place *place = (struct place *)job;
    place->status = ls_seats_file_write(place->seats, &place->file, &place->error);
}

static uint32_t places_max(const ls_service_options *options)
{
    return options->rooms_max > options->rooms ? options->rooms_max : options->rooms;
}

ls_rooms *ls_rooms_create(const ls_rooms_config *config)
{
    ls_rooms *rooms = ls_alloc(sizeof *rooms);
    rooms->config = *config;
    rooms->lock = -1;
    rooms->place_count = LS_SERVER_ROOMS_MAX + ENDINGS_MAX;
    rooms->places = ls_alloc(rooms->place_count * sizeof(struct place *));
    return rooms;
}

/* Begins the ending of a closed room, but not while its seats are being written: the job would
 * recreate the file. */
static void begin_ending(const ls_rooms *rooms, struct place *place)
{
    if (!place->is_over || ls_job_is_busy(&place->job))
        return;
    place->is_over = false;
    ls_room_end_begin(&place->ending, rooms->config.jobs);
}

void ls_rooms_wait(ls_rooms *rooms)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        struct place *place = rooms->places[i];
        ls_job_wait(rooms->config.jobs, &place->job);
        begin_ending(rooms, place);
        ls_job_wait(rooms->config.jobs, &place->ending.job);
        ls_signals_restart_limit();
    }
}

void ls_rooms_destroy(ls_rooms *rooms)
{
    if (!rooms)
        return;
    ls_rooms_wait(rooms);
    for (uint32_t i = 0; i < rooms->place_count; i++)
        ls_free(rooms->places[i]);
    ls_free(rooms->places);
    ls_free(rooms);
}

static bool is_free(const struct place *place)
{
    return !place->room && !place->is_new && !place->is_over && !ls_job_is_busy(&place->job) &&
           !ls_job_is_busy(&place->ending.job);
}

/* Returns a free place; NULL: all still have disk work. */
static struct place *take_place(ls_rooms *rooms)
{
    for (uint32_t i = 0; i < rooms->place_count; i++) {
        struct place *place = rooms->places[i];
        if (!place)
            place = rooms->places[i] = ls_alloc(sizeof *place);
        if (!is_free(place))
            continue;
        *place = (struct place){.job.run = write_seats,
                                .is_new = true,
                                .number = rooms->opened++,
                                .version = UINT64_MAX}; /* its seats are written at once */
        rooms->has_work = true;
        return place;
    }
    return NULL;
}

static ls_status refuse_place(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "the disk is still writing %d matches that are over; try again",
                        ENDINGS_MAX);
}

/* Assigns a place to the room that was opened for it. NULL: the room could not be opened. */
static void settle_place(ls_rooms *rooms, struct place *place, ls_room *room)
{
    place->is_new = false;
    place->room = room;
    if (room)
        rooms->config.executor = NULL;
    if (rooms->lock >= 0)
        close(rooms->lock);
    rooms->lock = -1;
}

static struct place *find_place(const ls_rooms *rooms, const ls_room *room)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++)
        if (rooms->places[i]->room == room)
            return rooms->places[i];
    return NULL;
}

/* Finds the rooms of new places. The server opens rooms that clients name, and no callback reports
 * that. */
static void find_new_rooms(ls_rooms *rooms)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        struct place *place = rooms->places[i];
        if (!place->is_new)
            continue;
        ls_room *found = NULL;
        for (uint32_t k = 0; !found && ls_server_room(rooms->server, k); k++)
            if (!find_place(rooms, ls_server_room(rooms->server, k)))
                found = ls_server_room(rooms->server, k);
        settle_place(rooms, place, found);
    }
}

/* Formats the path NAME.desync-TICK, with -2, -3 and so on for further files of that tick. Files
 * left from before a crash raise the number, whatever their tick: no name is then taken, without a
 * search on disk. */
static void name_evidence(struct place *place, uint64_t tick, char path[LS_PATH_BYTES_MAX])
{
    uint32_t number = 1 + place->evidence_count;
    for (uint32_t i = 0; i < place->desync_count; i++)
        number += place->desyncs[i] == tick;
    int used = snprintf(path, LS_PATH_BYTES_MAX, "%.*s.desync-%" PRIu64,
                        ls_series_stem(place->recording), place->recording, tick);
    if (number > 1)
        snprintf(path + used, LS_PATH_BYTES_MAX - (size_t)used, "-%u", number);
    if (place->desync_count < LS_COUNT_OF(place->desyncs))
        place->desyncs[place->desync_count++] = tick;
}

/* Opens an evidence file beside the recording. Its name does not end in .lsr, so that it is not
 * taken for a match to resume. */
static ls_status open_evidence(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error)
{
    ls_rooms *rooms = context;
    char path[LS_PATH_BYTES_MAX];
    find_new_rooms(rooms);
    struct place *place = find_place(rooms, room);
    if (!place || !place->recording[0])
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "the match is not recorded: use --record DIR");
    name_evidence(place, tick, path);
    size_t bytes = strlen(path),
           skipped = bytes < LS_RECORDING_TEXT_BYTES ? 0 : bytes - (LS_RECORDING_TEXT_BYTES - 1);
    memcpy(name, path + skipped, bytes - skipped + 1);          /* the path's end says more */
    ls_status status = ls_file_sink_prepare(path, sink, error); /* a job creates the file */
    if (!status)
        memcpy(place->evidence, path, sizeof path);
    return status;
}

static void set_policies(ls_rooms *rooms, ls_room_config *config)
{
    const ls_service_options *options = rooms->config.options;
    config->executor = rooms->config.executor;
    config->wait_players = options->wait_players;
    config->ticks_max = options->ticks;
    config->end_when_empty = options->end_when_empty;
    config->policy = options->policy;
    config->desync = options->desync;
    config->players_may_pause = options->players_may_pause;
    config->keep_seats_s = options->keep_seats_s;
    config->evidence_ms = options->evidence_ms;
    config->open_evidence = open_evidence;
    config->evidence_context = rooms;
    config->sync_ticks = options->sync_ticks;
    config->sign_ticks = options->sign_ticks;
    config->column_ticks = options->column_ticks;
    config->keyframe_ticks = options->keyframe_ticks;
}

/* Creates the recording's sink. For a room that a client asked for, does so without waiting for the
 * disk, which would delay the other rooms. */
static ls_status place_recording(ls_rooms *rooms, struct place *place, ls_room_config *config,
                                 ls_error *error)
{
    const ls_recording_place where = {.folder = rooms->config.options->record,
                                      .sim = ls_program_sim(rooms->config.program)->name,
                                      .seed = place->seed};
    ls_status status =
        config->is_on_request
            ? ls_recordings_prepare(&where, place->recording, &place->sink, error)
            : ls_recordings_create(&where, place->recording, &place->sink, &rooms->lock, error);
    if (status)
        return status;
    config->sink = &place->sink;
    config->recording_name = place->recording;
    config->open_segment = ls_file_sink_create;
    status = ls_seats_file_path(place->recording, place->seats, sizeof place->seats, error);
    if (status)
        place->sink.close(place->sink.context);
    else
        ls_broadcast_add(rooms->config.broadcast, config->name, place->recording, &place->sink);
    return status;
}

/* Configures a new match and its recording. Each room has its own seed. */
static ls_status configure(ls_rooms *rooms, ls_room_config *config, struct place **result,
                           ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    set_policies(rooms, config);
    ls_status status =
        ls_match_options_apply(&options->match, rooms->config.program, &config->match, error);
    struct place *place = status ? NULL : take_place(rooms);
    if (!status && !place)
        status = refuse_place(error);
    if (status)
        return status;
    place->seed = config->match.seed += place->number;
    if (options->record)
        status = place_recording(rooms, place, config, error);
    place->is_new = status == LS_OK;
    *result = place;
    return status;
}

ls_status ls_rooms_make(void *context, const char *name, ls_room_config *config, ls_error *error)
{
    ls_rooms *rooms = context;
    struct place *place;
    find_new_rooms(rooms);
    if (!name[0])
        return ls_error_set(error, LS_ERROR_LIMIT, "all seats are taken");
    uint32_t max = places_max(rooms->config.options);
    if (ls_server_get_stats(rooms->server).rooms >= max)
        return ls_error_set(error, LS_ERROR_LIMIT, "all %u rooms are open", max);
    config->is_on_request = true;
    config->name = name;
    return configure(rooms, config, &place, error);
}

static ls_status open_new(ls_rooms *rooms, const char *name, ls_error *error)
{
    ls_room_config config = ls_room_config_default();
    struct place *place = NULL;
    ls_room *room = NULL;
    config.name = name;
    ls_status status = configure(rooms, &config, &place, error);
    if (!status)
        status = ls_server_open_room(rooms->server, &config, &room, error);
    if (place)
        settle_place(rooms, place, room);
    return status;
}

/* Resumes one recording of the folder. LS_ERROR_NOT_FOUND when its match is over. */
static ls_status resume_room(ls_rooms *rooms, const char *path, ls_error *error)
{
    if (ls_server_get_stats(rooms->server).rooms == LS_SERVER_ROOMS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "all %d rooms are open", LS_SERVER_ROOMS_MAX);
    struct place *place = take_place(rooms);
    if (!place)
        return refuse_place(error);
    ls_seats_file *seats = ls_alloc(sizeof *seats);
    ls_room_config config = ls_room_config_default();
    set_policies(rooms, &config);
    snprintf(place->recording, sizeof place->recording, "%s", path);
    place->evidence_count = ls_recordings_count_evidence(path);
    config.recording_name = place->recording;
    config.open_segment = ls_file_sink_create;
    config.note_restore = ls_quarantine_mark;
    ls_status status = ls_recordings_resume(path, rooms->config.program, &config.recorder,
                                            &config.series, &config.epoch, error);
    if (!status)
        status = ls_seats_file_path(path, place->seats, sizeof place->seats, error);
    ls_room *room = NULL;
    if (!status) {
        const ls_recording_header *header = ls_recording_get_header(config.series->files[0]);
        bool has_seats =
            ls_seats_file_read(place->seats, seats, error) == LS_OK && seats->salt == header->salt;
        config.seats = has_seats ? seats : NULL;
        config.name = has_seats ? seats->room : "";
        status = ls_server_open_room(rooms->server, &config, &room, error);
    }
    settle_place(rooms, place, room);
    ls_free(seats);
    return status;
}

/* As resume_room(), but refuses the match if a newer one of the same room was resumed. Its files
 * stay unchanged. */
static ls_status resume_newest(ls_rooms *rooms, const ls_resume_entry *match, ls_error *error)
{
    const ls_room *room = match->room[0] ? ls_server_find_room(rooms->server, match->room) : NULL;
    return room ? ls_resume_entry_refuse(match, find_place(rooms, room)->recording, error)
                : resume_room(rooms, match->path, error);
}

static ls_status resume_all(ls_rooms *rooms, ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    ls_resume_entry *list;
    uint32_t count, unfinished = 0;
    ls_status status = ls_resume_list(options->resume, &list, &count, error);
    if (status) {
        ls_error why = *error;
        return ls_error_set(error, status, "--resume %.900s", why.text);
    }
    for (uint32_t i = 0; i < count; i++) {
        ls_error why;
        ls_status one = resume_newest(rooms, &list[i], &why);
        unfinished += one != LS_ERROR_NOT_FOUND;
        if (one && one != LS_ERROR_NOT_FOUND)
            ls_resume_entry_log(rooms->config.log, list[i].path, &why);
    }
    ls_resume_list_free(list, count);
    ls_resume_entry_print(rooms->config.out, options->resume,
                          ls_server_get_stats(rooms->server).rooms, unfinished);
    return LS_OK;
}

ls_status ls_rooms_open(ls_rooms *rooms, ls_server *server, ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    rooms->server = server;
    ls_status status = LS_OK;
    if (options->resume)
        status = resume_all(rooms, error);
    /* Creates the folder now, because rooms that open later must not wait for the disk. */
    if (!status && options->record)
        status = ls_recordings_make_folder(options->record, error);
    bool is_one = places_max(options) == 1;
    for (uint32_t i = 1; !status && ls_server_get_stats(server).rooms < options->rooms; i++) {
        char name[LS_ROOM_BYTES];
        snprintf(name, sizeof name, "%u", i);
        if (is_one)
            status = open_new(rooms, "", error);
        else if (!ls_server_find_room(server, name))
            status = open_new(rooms, name, error);
    }
    return status;
}

static void update_place(ls_rooms *rooms, struct place *place)
{
    if (ls_job_take(&place->job) && place->status) {
        char line[LS_ERROR_TEXT_BYTES + 64];
        snprintf(line, sizeof line, "seats_not_kept reason=\"%s\"", place->error.text);
        ls_log_line(rooms->config.log, line);
    }
    ls_room_end_take(&place->ending);
    begin_ending(rooms, place);
    if (!place->room || !place->seats[0] || ls_job_is_busy(&place->job) ||
        place->version == ls_room_seats_version(place->room))
        return;
    place->version = ls_room_seats_version(place->room);
    ls_room_seats(place->room, &place->file);
    ls_job_submit(rooms->config.jobs, &place->job);
}

void ls_rooms_maintain(ls_rooms *rooms)
{
    uint64_t version = ls_server_seats_version(rooms->server);
    if (version == rooms->seats_version && !rooms->has_work)
        return; /* visiting many places in every step would cost many cache misses */
    find_new_rooms(rooms);
    rooms->seats_version = version;
    rooms->has_work = false;
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        update_place(rooms, rooms->places[i]);
        rooms->has_work |=
            ls_job_is_busy(&rooms->places[i]->job) || ls_job_is_busy(&rooms->places[i]->ending.job);
    }
}

static void print_end(const ls_rooms *rooms, const ls_room *room, const ls_room_stats *stats,
                      const struct place *place)
{
    const char *name = ls_room_name(room);
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    ls_async_writer *out = rooms->config.out;
    char failed[48] = "";
    if (stats->clients_failed)
        snprintf(failed, sizeof failed, " clients_failed=%" PRIu64, stats->clients_failed);
    ls_async_writer_print(out,
                          "ended tick=%" PRIu64 " root=%016" PRIx64 " desyncs=%" PRIu64 "%s%s%s\n",
                          stats->tick, ls_room_final_root(room), stats->desyncs, failed,
                          name[0] ? " room=" : "", name[0] ? ls_event_log_name(name, quoted) : "");
    /* After a disk failure, the ending prints the files instead. */
    if (stats->recording_bytes && !stats->recording_segments)
        ls_async_writer_print(out, "recorded %s bytes=%" PRIu64 "\n", place->recording,
                              stats->recording_bytes);
}

void ls_rooms_ended(void *context, ls_room *room)
{
    ls_rooms *rooms = context;
    ls_room_stats stats = ls_room_get_stats(room);
    ls_metrics_add_room(rooms->config.closed, room, &stats);
    find_new_rooms(rooms);
    struct place *place = find_place(rooms, room);
    LS_ASSERT(place);
    char own[LS_PATH_BYTES_MAX];
    if (!ls_recordings_name(
            &(ls_recording_place){.folder = ".",
                                  .sim = ls_program_sim(rooms->config.program)->name,
                                  .seed = place->seed},
            own))
        strcpy(own, "failed.lsr");
    if (!stats.is_cut_off)
        print_end(rooms, room, &stats, place);
    if (stats.recording_failed) {
        rooms->has_failed_recording = true;
        snprintf(rooms->failed_recording, sizeof rooms->failed_recording, "%s", place->recording);
    }
    const ls_room_end_config ending = {.server = rooms->server,
                                       .sim = rooms->config.options->match.sim,
                                       .log = rooms->config.log,
                                       .out = rooms->config.out,
                                       .recording = place->recording,
                                       .evidence = place->evidence,
                                       .seats = place->seats,
                                       .hook = rooms->config.hook,
                                       .name = own};
    rooms->failed_matches += ls_room_end_prepare(&place->ending, &ending, room);
    place->is_over = true;
    place->room = NULL;
    rooms->has_work = true;
}

uint32_t ls_rooms_failed(const ls_rooms *rooms)
{
    return rooms->failed_matches;
}

ls_status ls_rooms_status(const ls_rooms *rooms, ls_error *error)
{
    if (!rooms->has_failed_recording)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_IO,
                        "the recording %s is incomplete or missing: the log says why; "
                        "`lockstep verify` checks what was written",
                        rooms->failed_recording);
}
