/* The disk work at the end of a room. Its seats are deleted and the files of its match are
 * reported. A match that could not go on leaves a report; a recording that hangs its simulation is
 * set aside. A job does the work, so that no other room waits for the disk. */
#ifndef LS_ROOM_END_H
#define LS_ROOM_END_H

#include "cli/common/async_writer.h"
#include "cli/serve/failure_report.h"
#include <lockstep/jobs.h>
#include <lockstep/server.h>

/* The texts outlive the job; "": there is none. */
typedef struct ls_room_end_config {
    ls_server *server;
    const char *sim;
    ls_log *log;
    ls_async_writer *out;
    const char *recording; /* if its disk failed, all files of the match are reported */
    const char *evidence;  /* reported if it exists */
    const char *seats;     /* removed when no client can come back */
    const char *name;      /* NAME.lsr, as a recording would be called: for a bundle without one */
} ls_room_end_config;

/* Zeroed to begin with. */
typedef struct ls_room_end {
    ls_job job; /* first */
    ls_room_end_config config;
    uint32_t segments;
    bool is_cut_off, is_poisoned; /* the match was being restored; and that hung */
    bool forgets_seats, has_bundle;
    ls_failed_match match; /* of the bundle */
    char reason[LS_REASON_BYTES];
    uint64_t bytes_left; /* afterwards: of match.bytes_max */
} ls_room_end;

/* In room_ended. Returns whether the match had begun, and could not go on. */
bool ls_room_end_prepare(ls_room_end *ending, const ls_room_end_config *config, ls_room *room);
/* When the room is closed. */
void ls_room_end_begin(ls_room_end *ending, ls_jobs *jobs);
/* Takes note of its end: what it did not write may be written about others. */
void ls_room_end_take(ls_room_end *ending);

#endif
