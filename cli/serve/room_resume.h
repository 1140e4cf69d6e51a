/* Opens rooms that continue unfinished recordings. */
#ifndef LS_ROOM_RESUME_H
#define LS_ROOM_RESUME_H

#include "cli/serve/resume_opening.h"
#include "cli/serve/room_place.h"

/* Continues a recording that another process has let go of in order: the same epoch, and its
 * players keep their seats. The room is RESTORING until a job has simulated it.
 *   errors  NOT_FOUND: its match is over; REFUSED: another process has it; LIMIT: too many rooms
 *           are open; those of ls_recordings_resume() and ls_server_open_room() */
ls_status ls_room_resume_taken(ls_rooms *rooms, const char *path, ls_error *error) LS_MUST_USE;
/* Does what ls_room_resume_taken() does, with a recording that a job has opened. The room takes the
 * files. */
ls_status ls_room_resume_opened(ls_rooms *rooms, ls_resume_opening *opening,
                                ls_error *error) LS_MUST_USE;

/* Resumes the unfinished matches of the folder of --resume, of each room the newest, and prints
 * their number. The log has the reasons against others.
 *   errors  those of ls_resume_list() */
ls_status ls_room_resume_all(ls_rooms *rooms, ls_error *error) LS_MUST_USE;

#endif
