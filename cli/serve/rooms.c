#include "cli/serve/rooms.h"

#include "cli/common/signals.h"
#include "cli/serve/broadcast.h"
#include "cli/serve/recordings.h"
#include "cli/serve/room_resume.h"
#include "server/event_log.h"
#include "server/room_handover.h"
#include "server/server_state.h"
#include <lockstep/file_sink.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t ls_rooms_wanted(const ls_service_options *options)
{
    return options->rooms_max > options->rooms ? options->rooms_max : options->rooms;
}

ls_rooms *ls_rooms_create(const ls_rooms_config *config)
{
    ls_rooms *rooms = ls_alloc(sizeof *rooms);
    rooms->config = *config;
    rooms->lock = -1;
    rooms->place_count = LS_SERVER_ROOMS_MAX + LS_ROOM_PLACE_CLEANUPS_MAX;
    rooms->places = ls_alloc(rooms->place_count * sizeof(ls_room_place *));
    return rooms;
}

void ls_rooms_wait(ls_rooms *rooms)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        ls_room_place *place = rooms->places[i];
        ls_job_wait(rooms->config.jobs, &place->job);
        ls_room_place_begin_cleanup(rooms, place);
        ls_signals_restart_limit();
    }
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        ls_job_wait(rooms->config.jobs, &rooms->places[i]->cleanup.job);
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

/* Creates the recording's sink. For a room that a client asked for, does so without waiting for the
 * disk, which would delay the other rooms. */
static ls_status place_recording(ls_rooms *rooms, ls_room_place *place, ls_room_config *config,
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
        ls_broadcast_add(rooms->config.broadcast,
                         &(ls_broadcast_match){.room = config->name,
                                               .recording = place->recording,
                                               .simulation = where.sim,
                                               .players = config->match.player_count},
                         &place->sink);
    return status;
}

/* Configures a new match and its recording. Each room has its own seed, unless its allocation has
 * one. */
static ls_status configure(ls_rooms *rooms, ls_room_config *config,
                           const ls_room_allocation *allocation, ls_room_place **result,
                           ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    ls_room_place_configure(rooms, config);
    config->end_when_empty |= allocation != NULL;
    ls_status status = ls_match_options_apply(allocation ? &allocation->match : &options->match,
                                              rooms->config.program, &config->match, error);
    ls_room_place *place = status ? NULL : ls_room_place_take(rooms);
    if (!status && !place)
        status = ls_room_place_refuse(error);
    if (status)
        return status;
    if (!allocation || !allocation->has_seed)
        config->match.seed += place->number;
    place->seed = config->match.seed;
    if (options->record)
        status = place_recording(rooms, place, config, error);
    place->is_new = status == LS_OK;
    *result = place;
    return status;
}

static ls_status check_places(const ls_rooms *rooms, ls_error *error)
{
    uint32_t max = ls_rooms_wanted(rooms->config.options);
    bool is_full = ls_server_get_stats(rooms->server).rooms >= max;
    return is_full ? ls_error_set(error, LS_ERROR_LIMIT,
                                  "all %u rooms are open; `serve --rooms-max` allows more", max)
                   : LS_OK;
}

ls_status ls_rooms_make(void *context, const char *name, ls_room_config *config, ls_error *error)
{
    ls_rooms *rooms = context;
    ls_room_place *place;
    ls_room_place_find_new(rooms);
    if (!name[0])
        return ls_error_set(error, LS_ERROR_LIMIT, "all seats are taken");
    if (rooms->config.options->has_agones || rooms->config.options->lobby)
        return ls_error_set(
            error, LS_ERROR_NOT_FOUND, "there is no room '%s' here: only %s rooms", name,
            rooms->config.options->lobby ? "a lobby opens" : "allocations of the fleet open");
    ls_status status = check_places(rooms, error);
    if (status)
        return status;
    config->is_on_request = true;
    config->name = name;
    return configure(rooms, config, NULL, &place, error);
}

static ls_status open_new(ls_rooms *rooms, ls_room_config *config,
                          const ls_room_allocation *allocation, ls_error *error)
{
    ls_room_place *place = NULL;
    ls_room *room = NULL;
    ls_status status = configure(rooms, config, allocation, &place, error);
    if (!status)
        status = ls_server_open_room(rooms->server, config, &room, error);
    if (place)
        ls_room_place_settle(rooms, place, room);
    return status;
}

ls_status ls_rooms_allocate(ls_rooms *rooms, const ls_room_allocation *allocation, ls_error *error)
{
    ls_room_config config = ls_room_config_default();
    if (rooms->server->is_draining)
        return ls_error_set(error, LS_ERROR_REFUSED, "the server stops");
    ls_room_place_find_new(rooms);
    ls_status status = check_places(rooms, error);
    if (status)
        return status;
    if (ls_server_find_room(rooms->server, allocation->name))
        return ls_error_set(error, LS_ERROR_REFUSED, "a room of this name is open");
    config.name = allocation->name;
    config.is_on_request = true;
    config.unused_s = LS_ROOM_ALLOCATION_UNUSED_S;
    config.require_token = allocation->requires_token;
    return open_new(rooms, &config, allocation, error);
}

ls_status ls_rooms_open(ls_rooms *rooms, ls_server *server, ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    rooms->server = server;
    ls_status status = LS_OK;
    if (options->resume && !options->takes_over)
        status = ls_room_resume_all(rooms, error);
    /* Creates the folder now, because rooms that open later must not wait for the disk. */
    if (!status && options->record)
        status = ls_recordings_make_folder(options->record, error);
    return status || options->takes_over ? status : ls_rooms_open_new(rooms, error);
}

ls_status ls_rooms_open_new(ls_rooms *rooms, ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    ls_status status = LS_OK;
    bool is_one = ls_rooms_wanted(options) == 1;
    for (uint32_t i = 1; !status && ls_server_get_stats(rooms->server).rooms < options->rooms;
         i++) {
        char name[LS_ROOM_BYTES];
        snprintf(name, sizeof name, "%u", i);
        ls_room_config config = ls_room_config_default();
        config.name = is_one ? "" : name;
        if (is_one || !ls_server_find_room(rooms->server, name))
            status = open_new(rooms, &config, NULL, error);
    }
    return status;
}

static void update_place(ls_rooms *rooms, ls_room_place *place)
{
    if (ls_job_take(&place->job) && place->status)
        ls_log_print(rooms->config.log, "seats_not_kept reason=\"%s\"", place->error.text);
    ls_room_cleanup_take(&place->cleanup);
    ls_room_place_begin_cleanup(rooms, place);
    if (!place->room || !place->seats[0] || place->is_given || ls_job_is_busy(&place->job) ||
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
    ls_room_place_find_new(rooms);
    rooms->seats_version = version;
    rooms->has_work = false;
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        update_place(rooms, rooms->places[i]);
        rooms->has_work |= ls_job_is_busy(&rooms->places[i]->job) ||
                           ls_job_is_busy(&rooms->places[i]->cleanup.job);
    }
}

static void print_end(const ls_rooms *rooms, const ls_room *room, const ls_room_stats *stats,
                      const ls_room_place *place)
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
    /* After a disk failure, the cleanup prints the files instead. */
    if (stats->recording_bytes && !stats->recording_segments)
        ls_async_writer_print(out, "recorded %s bytes=%" PRIu64 "\n", place->recording,
                              stats->recording_bytes);
}

void ls_rooms_ended(void *context, ls_room *room)
{
    ls_rooms *rooms = context;
    ls_room_stats stats = ls_room_get_stats(room);
    ls_metrics_add_room(rooms->config.closed, room, &stats);
    ls_room_place_find_new(rooms);
    ls_room_place *place = ls_room_place_find(rooms, room);
    LS_ASSERT(place);
    char own[LS_PATH_BYTES_MAX];
    if (!ls_recordings_name(
            &(ls_recording_place){.folder = ".",
                                  .sim = ls_program_sim(rooms->config.program)->name,
                                  .seed = place->seed},
            own))
        strcpy(own, "failed.lsr");
    if (!stats.is_cut_off && !ls_room_handover_is_over(room))
        print_end(rooms, room, &stats, place);
    if (stats.recording_failed) {
        rooms->has_failed_recording = true;
        snprintf(rooms->failed_recording, sizeof rooms->failed_recording, "%s", place->recording);
    }
    const ls_room_cleanup_config ending = {.server = rooms->server,
                                           .sim = rooms->config.options->match.sim,
                                           .log = rooms->config.log,
                                           .out = rooms->config.out,
                                           .recording = place->recording,
                                           .evidence = place->evidence,
                                           .seats = place->seats,
                                           .hook = rooms->config.hook,
                                           .name = own};
    rooms->failed_matches += ls_room_cleanup_prepare(&place->cleanup, &ending, room);
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
