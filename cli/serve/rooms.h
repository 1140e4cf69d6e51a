/* The rooms of a server process and their files: recordings, seats, and the reports of matches that
 * could not go on. */
#ifndef LS_ROOMS_H
#define LS_ROOMS_H

#include "cli/common/log.h"
#include "cli/serve/service_options.h"

typedef struct ls_rooms ls_rooms;

typedef struct ls_rooms_config {
    const ls_service_options *options;
    const ls_program *program;
    ls_executor *executor; /* for the first room that opens: two cannot share it */
    ls_jobs *jobs;
    ls_log *log;
    ls_async_writer *out;
} ls_rooms_config;

/*   owns  what the config points to outlives it; destroy it after the server */
ls_rooms *ls_rooms_create(const ls_rooms_config *config);
void ls_rooms_destroy(ls_rooms *rooms);

/* For ls_server_config: the context is the ls_rooms. */
ls_status ls_rooms_make(void *context, const char *name, ls_room_config *config,
                        ls_error *error) LS_MUST_USE;
void ls_rooms_ended(void *context, ls_room *room);

/* Resumes the matches that were cut off, then opens rooms until there are as many as wanted.
 *   errors  those of the match and the recording of a new room. A recording that cannot be resumed
 *           is left as it is, and the log says so */
ls_status ls_rooms_open(ls_rooms *rooms, ls_server *server, ls_error *error) LS_MUST_USE;

/* Begins, as jobs, to write the files of seats that have changed, and what the end of a room leaves
 * to be done on the disk. Call it after each step. */
void ls_rooms_look_after(ls_rooms *rooms);
/* Waits for all of that; while the server, the log and stdout are there. */
void ls_rooms_settle(ls_rooms *rooms);

/* Matches that could not go on. */
uint32_t ls_rooms_failed(const ls_rooms *rooms);
/* errors  IO: the recording of some match is incomplete */
ls_status ls_rooms_judge(const ls_rooms *rooms, ls_error *error) LS_MUST_USE;

#endif
