/* The report of a failed match, for the developer of the simulation: a folder with the reason in
 * words and the world at that tick. */
#ifndef LS_FAILURE_REPORT_H
#define LS_FAILURE_REPORT_H

#include "cli/common/log.h"
#include "core/base/platform_file.h"
#include <lockstep/room.h>

/* A copy of everything that is reported, because the room is destroyed before the report is
 * written. Zero it at first. */
typedef struct ls_failed_match {
    ls_world *world; /* owned; NULL: the simulation still uses it */
    uint64_t tick, simulated;
    char room[LS_ROOM_BYTES], reason[LS_REASON_BYTES];
    char recording[LS_PATH_BYTES_MAX]; /* "": none */
    char stem[LS_PATH_BYTES_MAX]; /* the folder's name is STEM.failed, STEM-2.failed and so on */
    uint64_t bytes_max;           /* limit of the files */
} ls_failed_match;

/* Takes the data of the report from a failed room; call it in room_ended (see
 * ls_room_take_world()). The caller sets recording, stem and bytes_max. */
void ls_failed_match_take(ls_failed_match *match, ls_room *room);
/* Frees the world. */
void ls_failed_match_reset(ls_failed_match *match);

/* Writes a new folder and returns the bytes of its files. The log names files that cannot be
 * written.
 *   thread  any; it waits for the disk */
uint64_t ls_failure_report_write(const ls_failed_match *match, ls_log *log);

#endif
