/* What the end of a room leaves to be done on the disk: its seats are forgotten, what there is of
 * its match is told, a match that could not go on leaves its bundle, a recording that hangs its
 * simulation is set aside. A job does it, so that no other room waits for the disk. */
#ifndef LS_ENDING_H
#define LS_ENDING_H

#include "cli/bundle.h"
#include "cli/outlet.h"
#include "server/jobs.h"
#include "server/server.h"

/* The texts outlive the job; "": there is none. */
typedef struct ls_ending_config {
    ls_server *server;
    const char *sim;
    ls_log *log;
    ls_outlet *out;
    const char *recording; /* of a match whose disk failed all its files are told */
    const char *evidence;  /* told if it is there */
    const char *seats;     /* removed when nobody can come back */
    const char *name;      /* NAME.lsr, as a recording would be called: for a bundle without one */
} ls_ending_config;

/* Zeroed to begin with. */
typedef struct ls_ending {
    ls_job job; /* first */
    ls_ending_config config;
    uint32_t segments;
    bool is_cut_off, is_poisoned; /* the match was being restored; and that hung */
    bool forgets_seats, has_bundle;
    ls_failed_match match; /* of the bundle */
    char reason[LS_REASON_BYTES];
    uint64_t bytes_left; /* afterwards: of match.bytes_max */
} ls_ending;

/* In room_ended. Returns whether the match had begun, and could not go on. */
bool ls_ending_prepare(ls_ending *ending, const ls_ending_config *config, ls_room *room);
/* When the room is closed. */
void ls_ending_begin(ls_ending *ending, ls_jobs *jobs);
/* Takes note of its end: what it did not write may be written about others. */
void ls_ending_take(ls_ending *ending);

#endif
