#include "cli/serve/room_place.h"

#include "cli/serve/broadcast.h"
#include <lockstep/file_sink.h>
#include <lockstep/recording_series.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_seats(ls_job *job)
{
    ls_room_place *place = (ls_room_place *)job;
    place->status = ls_seats_file_write(place->seats, &place->file, &place->error);
}

void ls_room_place_begin_cleanup(const ls_rooms *rooms, ls_room_place *place)
{
    if (!place->is_over || ls_job_is_busy(&place->job))
        return;
    place->is_over = false;
    ls_room_cleanup_begin(&place->cleanup, rooms->config.jobs);
}

static bool is_free(const ls_room_place *place)
{
    return !place->room && !place->is_new && !place->is_over && !ls_job_is_busy(&place->job) &&
           !ls_job_is_busy(&place->cleanup.job);
}

ls_room_place *ls_room_place_take(ls_rooms *rooms)
{
    for (uint32_t i = 0; i < rooms->place_count; i++) {
        ls_room_place *place = rooms->places[i];
        if (!place)
            place = rooms->places[i] = ls_alloc(sizeof *place);
        if (!is_free(place))
            continue;
        *place = (ls_room_place){.job.run = write_seats,
                                 .is_new = true,
                                 .number = rooms->opened++,
                                 .version = UINT64_MAX}; /* its seats are written at once */
        rooms->has_work = true;
        return place;
    }
    return NULL;
}

ls_status ls_room_place_refuse(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "the disk is still writing %d matches that are over; try again",
                        LS_ROOM_PLACE_CLEANUPS_MAX);
}

void ls_room_place_settle(ls_rooms *rooms, ls_room_place *place, ls_room *room)
{
    place->is_new = false;
    place->room = room;
    if (room)
        rooms->config.executor = NULL;
    if (rooms->lock >= 0)
        close(rooms->lock);
    rooms->lock = -1;
}

ls_room_place *ls_room_place_find(const ls_rooms *rooms, const ls_room *room)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++)
        if (rooms->places[i]->room == room)
            return rooms->places[i];
    return NULL;
}

ls_room_place *ls_room_place_of(const ls_rooms *rooms, const char *recording)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++)
        if (rooms->places[i]->room && strcmp(rooms->places[i]->recording, recording) == 0)
            return rooms->places[i];
    return NULL;
}

bool ls_room_place_has_seats(const ls_room_place *place)
{
    return place->version == ls_room_seats_version(place->room) && !ls_job_is_busy(&place->job);
}

void ls_room_place_find_new(ls_rooms *rooms)
{
    for (uint32_t i = 0; i < rooms->place_count && rooms->places[i]; i++) {
        ls_room_place *place = rooms->places[i];
        if (!place->is_new)
            continue;
        ls_room *found = NULL;
        for (uint32_t k = 0; !found && ls_server_room(rooms->server, k); k++)
            if (!ls_room_place_find(rooms, ls_server_room(rooms->server, k)))
                found = ls_server_room(rooms->server, k);
        ls_room_place_settle(rooms, place, found);
    }
}

/* Formats the path NAME.desync-TICK, with -2, -3 and so on for further files of that tick. Files
 * left from before a crash raise the number, whatever their tick: no name is then taken, without a
 * search on disk. */
static void name_evidence(ls_room_place *place, uint64_t tick, char path[LS_PATH_BYTES_MAX])
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
    ls_room_place_find_new(rooms);
    ls_room_place *place = ls_room_place_find(rooms, room);
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

void ls_room_place_configure(ls_rooms *rooms, ls_room_config *config)
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
    config->keyframe_s_max = options->broadcast ? LS_BROADCAST_KEYFRAME_S : 0;
}
