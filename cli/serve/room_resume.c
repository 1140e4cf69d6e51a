#include "cli/serve/room_resume.h"

#include "cli/serve/quarantine.h"
#include "cli/serve/resume_list.h"
#include "server/room_handover.h"
#include <lockstep/file_sink.h>

#include <string.h>

/* Opens a room that continues an opened recording; one that was taken over keeps its epoch. */
static ls_status open_room(ls_rooms *rooms, ls_resume_opening *opening, bool is_taken,
                           ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    if (opening->status) {
        *error = opening->error;
        return opening->status;
    }
    if (ls_server_get_stats(rooms->server).rooms == LS_SERVER_ROOMS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "all %d rooms are open", LS_SERVER_ROOMS_MAX);
    ls_room_place *place = ls_room_place_take(rooms);
    if (!place)
        return ls_room_place_refuse(error);
    const ls_recording_header *header = ls_recording_get_header(opening->series->files[0]);
    ls_room_config config = ls_room_config_default();
    ls_room_place_configure(rooms, &config);
    memcpy(place->recording, opening->path, sizeof place->recording);
    memcpy(place->seats, opening->seats_path, sizeof place->seats);
    place->evidence_count = opening->evidence_count;
    config.recording_name = place->recording;
    config.open_segment = ls_file_sink_create;
    config.note_restore = ls_quarantine_mark;
    config.recorder = opening->recorder;
    config.series = opening->series;
    config.epoch = opening->epoch - is_taken;
    config.seats = opening->has_seats ? &opening->seats : NULL;
    /* The rules of the room are lost with the file of seats, so a server of a fleet requires a
     * token if it can. */
    config.require_token = !opening->has_seats && options->has_agones && options->token_key_count;
    config.name = header->has_room ? header->room : opening->has_seats ? opening->seats.room : "";
    opening->recorder = NULL;
    opening->series = NULL;
    ls_room *room = NULL;
    ls_status status = ls_server_open_room(rooms->server, &config, &room, error);
    if (room && is_taken)
        ls_room_handover_take(room);
    ls_room_place_settle(rooms, place, room);
    return status;
}

static ls_status resume(ls_rooms *rooms, const char *path, bool is_taken, ls_error *error)
{
    ls_resume_opening *opening = ls_resume_opening_create(path, rooms->config.program);
    ls_resume_opening_run(&opening->job);
    ls_status status = open_room(rooms, opening, is_taken, error);
    ls_resume_opening_destroy(opening);
    return status;
}

ls_status ls_room_resume_opened(ls_rooms *rooms, ls_resume_opening *opening, ls_error *error)
{
    return open_room(rooms, opening, true, error);
}

ls_status ls_room_resume_taken(ls_rooms *rooms, const char *path, ls_error *error)
{
    return resume(rooms, path, true, error);
}

/* Resumes a match as after a crash, but refuses the match if the room has a newer one, also if that
 * is over. A recording that does not name its room is refused if a match of the room was resumed.
 * The files stay unchanged. */
static ls_status resume_newest(ls_rooms *rooms, const ls_resume_entry *list, uint32_t index,
                               ls_error *error)
{
    const ls_resume_entry *match = &list[index], *newer = ls_resume_entry_newest(list, index);
    if (ls_room_place_of(rooms, match->path))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s: is open already", match->path);
    if (newer)
        return ls_resume_entry_refuse(match, newer->path, error);
    const ls_room *room = match->room[0] ? ls_server_find_room(rooms->server, match->room) : NULL;
    bool is_of_this_build =
        memcmp(match->fingerprint, ls_program_fingerprint(rooms->config.program),
               LS_FINGERPRINT_BYTES) == 0;
    return room && is_of_this_build
               ? ls_resume_entry_refuse(match, ls_room_place_find(rooms, room)->recording, error)
               : resume(rooms, match->path, false, error);
}

ls_status ls_room_resume_all(ls_rooms *rooms, ls_error *error)
{
    const ls_service_options *options = rooms->config.options;
    ls_resume_entry *list;
    uint32_t count, unfinished = 0;
    ls_status status = ls_resume_list(options->resume, &list, &count, error);
    if (status)
        return ls_error_set(error, status, "--resume %.900s", error->text);
    for (uint32_t i = 0; i < count; i++) {
        ls_error why;
        ls_status one = resume_newest(rooms, list, i, &why);
        unfinished += one != LS_ERROR_NOT_FOUND;
        if (one && one != LS_ERROR_NOT_FOUND)
            ls_resume_entry_log(rooms->config.log, list[i].path, &why);
    }
    ls_resume_list_free(list, count);
    ls_resume_entry_print(rooms->config.out, options->resume,
                          ls_server_get_stats(rooms->server).rooms, unfinished);
    return LS_OK;
}
