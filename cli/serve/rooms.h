/* The rooms of a server process and their files: recordings, seats, and reports of failed matches.
 */
#ifndef LS_ROOMS_H
#define LS_ROOMS_H

#include "cli/serve/room_allocation.h"
#include "cli/serve/rooms_config.h"

/* The number of configured rooms. Resumed matches may be more. */
uint32_t ls_rooms_wanted(const ls_service_options *options);
/* owns  the data that the config points to must outlive the rooms; destroy these after the server
 */
ls_rooms *ls_rooms_create(const ls_rooms_config *config);
void ls_rooms_destroy(ls_rooms *rooms);

/* Callbacks for ls_server_config; the context is the ls_rooms. */
ls_status ls_rooms_make(void *context, const char *name, ls_room_config *config,
                        ls_error *error) LS_MUST_USE;
void ls_rooms_ended(void *context, ls_room *room);

/* Resumes unfinished matches, then opens rooms until the wanted number is open. With `takes_over`
 * it does neither: matches come from another process, and ls_rooms_open_new() follows.
 *   errors  those of the match and the recording of a new room. A recording that cannot be resumed
 *           stays unchanged, and the log has the reason */
ls_status ls_rooms_open(ls_rooms *rooms, ls_server *server, ls_error *error) LS_MUST_USE;

/* Opens rooms until the wanted number is open.
 *   errors  those of the match and the recording of a new room */
ls_status ls_rooms_open_new(ls_rooms *rooms, ls_error *error) LS_MUST_USE;

/* Opens a room for an allocation, without waiting for the disk. It ends when its last client has
 * left, or if none comes within LS_ROOM_ALLOCATION_UNUSED_S.
 *   errors  as ls_rooms_open(); LIMIT: rooms_max are open; REFUSED: the name is in use, or
 *           the server stops */
ls_status ls_rooms_allocate(ls_rooms *rooms, const ls_room_allocation *allocation,
                            ls_error *error) LS_MUST_USE;

/* Submits jobs that write changed seats files and do the disk work at the end of a room. Call it
 * after each step. */
void ls_rooms_maintain(ls_rooms *rooms);
/* Waits for the jobs of ls_rooms_maintain(). Needs the server, the log and stdout. */
void ls_rooms_wait(ls_rooms *rooms);

/* Returns the number of failed matches. */
uint32_t ls_rooms_failed(const ls_rooms *rooms);
/* Returns the error of the recordings.
 *   errors  IO: a match's recording is incomplete */
ls_status ls_rooms_status(const ls_rooms *rooms, ls_error *error) LS_MUST_USE;

#endif
