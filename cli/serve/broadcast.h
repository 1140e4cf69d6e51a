/* `serve --broadcast-dir`: publishes the recordings of running matches as files, for any web server
 * and any cache. A segment is what was recorded since the one before, so all of them, joined, are
 * the recording: readers check it as they check every recording, and need not trust who hands it
 * out. A thread of its own writes; a match and its recording never wait for it. */
#ifndef LS_BROADCAST_H
#define LS_BROADCAST_H

#include "cli/common/clock.h"
#include "cli/common/log.h"
#include <lockstep/sink.h>

/* Each segment has the bytes that were recorded in this time. A failed write is tried again after
 * this time. */
#define LS_BROADCAST_SEGMENT_NS (2 * LS_SECOND_NS)
/* A match that waits for a full disk or for the delay with more than this is not published any
 * further. */
#define LS_BROADCAST_WAITING_MAX (UINT64_C(64) << 20)
/* The files of an ended match stay for this time, unless a new match of its room replaces them. */
#define LS_BROADCAST_KEEP_NS (600 * LS_SECOND_NS)

/* The longest time between keyframes of a match that is published; --keyframe-ticks may not give a
 * longer one. */
#define LS_BROADCAST_KEYFRAME_S 30

#define LS_BROADCAST_DELAY_S_MAX 3600

typedef struct ls_broadcast ls_broadcast;

typedef struct ls_broadcast_config {
    const char *folder; /* NULL: nothing is published */
    uint32_t delay_s;   /* bytes of a running match are withheld for this time */
    ls_log *log;
} ls_broadcast_config;

typedef struct ls_broadcast_match {
    const char *room, *recording, *simulation;
    uint32_t players; /* seats */
} ls_broadcast_match;

/* Creates the folder. *broadcast is NULL without a folder, which all functions but
 * ls_broadcast_step() allow.
 *   errors  IO: the text names the folder
 *   owns    ls_broadcast_destroy() by the caller, after all sinks were closed */
ls_status ls_broadcast_create(const ls_broadcast_config *config, ls_broadcast **broadcast,
                              ls_error *error) LS_MUST_USE;
/* Starts the thread, which makes the steps.
 *   errors  IO: there is no thread */
ls_status ls_broadcast_start(ls_broadcast *broadcast, ls_error *error) LS_MUST_USE;
/* Publishes what is left, and ends the thread. */
void ls_broadcast_destroy(ls_broadcast *broadcast);

/* Publishes the recording that is written to *sink, which is replaced by a sink around it.
 *   thread  any */
void ls_broadcast_add(ls_broadcast *broadcast, const ls_broadcast_match *match, ls_sink *sink);

/* How many writes have failed, and matches that could not be published. The log has only the first
 * failed write in a row of a match, as `broadcast_failed`.
 *   thread  any */
uint64_t ls_broadcast_failures(const ls_broadcast *broadcast);

/* Writes what is due. Called by the thread, or by a test that has not started it. */
void ls_broadcast_step(ls_broadcast *broadcast, uint64_t now_ns);

#endif
