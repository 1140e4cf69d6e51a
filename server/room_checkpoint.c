#include "server/room_checkpoint.h"

#include "server/room_state.h"

#include <string.h>

static ls_status refuse(const ls_room *room, ls_error *error)
{
    switch (room->recording.phase) {
    case LS_ROOM_RECORDING_OFF:
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "the match is not recorded");
    case LS_ROOM_RECORDING_OPENING:
        return ls_error_set(error, LS_ERROR_REFUSED, "the recording is being created: ask again");
    case LS_ROOM_RECORDING_FAILED:
        return ls_error_set(error, LS_ERROR_IO,
                            "the recording has failed, and no next file has begun: ask again");
    default:
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the match is ending, and its recording is being closed");
    }
}

/* Copies the name of the file, because the recording may go on in a later file. */
static ls_status take_name(const ls_room *room, ls_room_checkpoint *checkpoint, ls_error *error)
{
    char *name = ls_room_recording_name(&room->recording);
    size_t bytes = name ? strlen(name) + 1 : 0;
    bool fits = bytes <= sizeof checkpoint->file;
    if (name && fits)
        memcpy(checkpoint->file, name, bytes);
    ls_free(name);
    return fits ? LS_OK
                : ls_error_set(error, LS_ERROR_LIMIT, "the name of the recording is too long");
}

static void take_result(const ls_room *room, ls_room_checkpoint *checkpoint)
{
    const ls_recording_checkpoint *durable = &room->recording.durable;
    checkpoint->is_durable = durable->number >= checkpoint->number;
    checkpoint->tick = durable->tick;
    checkpoint->bytes = durable->bytes;
}

ls_status ls_room_checkpoint_begin(ls_room *room, ls_room_checkpoint *checkpoint, ls_error *error)
{
    *checkpoint = (ls_room_checkpoint){.room = room->number};
    if (room->state == LS_ROOM_RESTORING && room->recording.phase == LS_ROOM_RECORDING_RUNNING)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the match is being restored from its recording: ask again");
    if (room->state >= LS_ROOM_ENDING || room->recording.phase != LS_ROOM_RECORDING_RUNNING)
        return refuse(room, error);
    if (room->recording.is_unsigned)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the recording is not signed: it was begun under another identity");
    ls_status status = take_name(room, checkpoint, error);
    if (status)
        return status;
    checkpoint->number = ls_room_recording_checkpoint(&room->recording);
    take_result(room, checkpoint);
    return LS_OK;
}

ls_status ls_room_checkpoint_poll(const ls_server *server, ls_room_checkpoint *checkpoint,
                                  ls_error *error)
{
    const ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(server, i)) != NULL; i++)
        if (room->number == checkpoint->room)
            break;
    if (!room)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the match has ended meanwhile, and its recording is closed");
    take_result(room, checkpoint);
    if (!checkpoint->is_durable && room->recording.checkpoints_failed >= checkpoint->number)
        return ls_error_set(error, LS_ERROR_IO,
                            "the disk fails: the log has the reason in `recording_failed`");
    return LS_OK;
}
