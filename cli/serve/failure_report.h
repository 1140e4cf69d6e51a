/* The report of a match that could not go on: a folder with the reason in words and the world at
 * that tick, for the developer of the simulation. */
#ifndef LS_FAILURE_REPORT_H
#define LS_FAILURE_REPORT_H

#include "cli/common/log.h"
#include <lockstep/room.h>

#include <limits.h>

/* All that is reported of it, since the room goes. Zeroed to begin with. */
typedef struct ls_failed_match {
    ls_world *world; /* owned; NULL: the simulation never came back with it */
    uint64_t tick, simulated;
    char room[LS_ROOM_BYTES], reason[LS_REASON_BYTES];
    char recording[PATH_MAX]; /* "": none */
    char stem[PATH_MAX];      /* of the folder's name: STEM.bundle, STEM-2.bundle, .. */
    uint64_t bytes_max;       /* that its files may have */
} ls_failed_match;

/* Takes what the report needs from a room that has failed, in room_ended: see ls_room_take_world().
 * The caller sets recording, stem and bytes_max. */
void ls_failed_match_take(ls_failed_match *match, ls_room *room);
/* Frees the world. */
void ls_failed_match_reset(ls_failed_match *match);

/* Writes a new folder. The log names what cannot be written. Returns the bytes of its files.
 *   thread  any; it waits for the disk */
uint64_t ls_failure_report_write(const ls_failed_match *match, ls_log *log);

#endif
