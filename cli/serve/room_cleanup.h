/* The disk work at the end of a room: deletes its seats file and prints the files of its match. A
 * failed match leaves a report; a recording that hangs its simulation is set aside; --on-finished
 * gets the name of any other, also after a disk failure. A job does this, so that no other room
 * waits for the disk. */
#ifndef LS_ROOM_CLEANUP_H
#define LS_ROOM_CLEANUP_H

#include "cli/common/async_writer.h"
#include "cli/serve/failure_report.h"
#include "cli/serve/finished_hook.h"
#include <lockstep/jobs.h>
#include <lockstep/server.h>

/* The texts must outlive the job; "" means none. */
typedef struct ls_room_cleanup_config {
    ls_server *server;
    const char *sim;
    ls_log *log;
    ls_async_writer *out;
    const char *recording;  /* after a disk failure, all files of the match are printed */
    const char *evidence;   /* printed if it exists */
    const char *seats;      /* deleted when no client can return */
    ls_finished_hook *hook; /* gets the recording's first file; NULL: none */
    const char *name;       /* NAME.lsr, the name of the report of a match without a recording */
} ls_room_cleanup_config;

/* The disk work of one room, from ls_room_cleanup_prepare() on. Zero it at first. */
typedef struct ls_room_cleanup {
    ls_job job; /* the first member: its function casts it back */
    ls_room_cleanup_config config;
    uint32_t segments;
    bool is_cut_off, hangs; /* ended while restoring; hangs: because that hung */
    bool forgets_seats, has_report, is_recorded;
    ls_failed_match match; /* the data of the report */
    char reason[LS_REASON_BYTES];
    uint64_t bytes_left; /* after the job: the unused part of match.bytes_max */
} ls_room_cleanup;

/* Call it in room_ended. Returns whether the match had begun and has failed. */
bool ls_room_cleanup_prepare(ls_room_cleanup *cleanup, const ls_room_cleanup_config *config,
                             ls_room *room);
/* Submits the job. Call it when the room is closed. */
void ls_room_cleanup_begin(ls_room_cleanup *cleanup, ls_jobs *jobs);
/* Takes the job's result: returns its unused bytes to the evidence budget. */
void ls_room_cleanup_take(ls_room_cleanup *cleanup);

#endif
