/* A bundle of evidence: a recording of the ticks around a desync, with an evidence record
 * (replays/evidence_record.h) at its end. A job writes it while the match continues.
 *   thread  the room's; while the job runs, it owns the bundle */
#ifndef LS_EVIDENCE_BUNDLE_H
#define LS_EVIDENCE_BUNDLE_H

#include "replays/evidence_record.h"
#include "server/referee.h"
#include "server/state_exchange.h"
#include "server/tick_ring.h"
#include <lockstep/identity.h>
#include <lockstep/jobs.h>
#include <lockstep/recorder.h>

#define LS_EVIDENCE_BUNDLE_NAME_BYTES LS_RECORDING_TEXT_BYTES

typedef struct ls_evidence_bundle ls_evidence_bundle;
struct ls_evidence_bundle {
    ls_job job;
    ls_evidence_bundle *next;    /* in the room's list */
    ls_state_exchange *exchange; /* the findings and both states */
    ls_evidence *evidence;       /* facts from the room; the exchange adds the rest */
    ls_sink file;
    uint64_t bytes_max, bytes_put; /* limit of the file, and bytes written */
    bool is_whole;                 /* everything but the closing record is written */
    char name[LS_EVIDENCE_BUNDLE_NAME_BYTES];
    ls_recording_header header;
    const ls_identity *identity; /* signs the file */
    ls_recording_keyframe keyframe;
    ls_tick_ring ring; /* a copy of the frames, including some before the keyframe */
    uint64_t players;  /* taken seats after the last frame */
    bool is_paused;    /* after the last frame */
    uint64_t roots_first;
    uint32_t root_count; /* roots of consecutive ticks from roots_first on */
    uint64_t *roots;     /* NULL: nothing copied yet */
    /* The result. */
    ls_status status;
    ls_error error;
};

/* The parts of a room that a bundle copies. */
typedef struct ls_evidence_bundle_source {
    const ls_tick_ring *ring;
    const ls_referee *referee;
    uint64_t players; /* taken seats */
    bool is_paused;
} ls_evidence_bundle_source;

/* Takes ownership of `exchange` and `evidence`. */
ls_evidence_bundle *ls_evidence_bundle_create(ls_state_exchange *exchange, ls_evidence *evidence);
/* Frees a bundle after its job has ended. For the exchange's snapshots see
 * ls_state_exchange_destroy(). NULL is allowed. */
void ls_evidence_bundle_destroy(ls_evidence_bundle *bundle);

/* Returns the tick of the bundle's keyframe and first frame. */
uint64_t ls_evidence_bundle_first(const ls_evidence_bundle *bundle);
/* Copies the frames and roots since the last call, before the ring drops them. False, and nothing
 * changes, when they are gone or too many. */
bool ls_evidence_bundle_take(ls_evidence_bundle *bundle,
                             const ls_evidence_bundle_source *source) LS_MUST_USE;
/* Writes the bundle in a job, which also closes `file`. */
void ls_evidence_bundle_submit(ls_evidence_bundle *bundle, ls_jobs *jobs);

#endif
