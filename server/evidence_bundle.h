/* A bundle of evidence: a recording of the ticks around a desync, with an evidence record
 * (replays/evidence_record.h) at its end. Written by a job, one at a time, while the match goes on.
 *   thread  the room's; the job has all to itself that it works on */
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
    ls_evidence_bundle *next;    /* of its owner */
    ls_state_exchange *exchange; /* what it has found, with the states */
    ls_evidence *evidence;       /* what the room knows; the rest comes from the exchange */
    ls_sink file;
    uint64_t bytes_max, bytes_put; /* into the file, and that were */
    bool is_whole;                 /* all is written but the closing */
    char name[LS_EVIDENCE_BUNDLE_NAME_BYTES];
    ls_recording_header header;
    const ls_identity *identity; /* that signs it */
    ls_recording_keyframe keyframe;
    ls_tick_ring ring; /* frames, also of some ticks before the keyframe's; a copy */
    uint64_t players;  /* who has a seat behind the last of them */
    bool is_paused;    /* then */
    uint64_t roots_first;
    uint32_t root_count; /* of the states from there on */
    uint64_t *roots;     /* NULL: nothing was taken yet */
    /* What came of it. */
    ls_status status;
    ls_error error;
};

/* What a room knows now. */
typedef struct ls_evidence_bundle_source {
    const ls_tick_ring *ring;
    const ls_referee *referee;
    uint64_t players; /* who has a seat */
    bool is_paused;
} ls_evidence_bundle_source;

/* Takes `exchange` and `evidence` over. */
ls_evidence_bundle *ls_evidence_bundle_create(ls_state_exchange *exchange, ls_evidence *evidence);
/* Behind its job; the exchange's snapshots as ls_state_exchange_destroy() says. NULL is allowed. */
void ls_evidence_bundle_destroy(ls_evidence_bundle *bundle);

/* The tick of its keyframe, which is that of its first frame. */
uint64_t ls_evidence_bundle_first(const ls_evidence_bundle *bundle);
/* Copies frames and roots up to now, so that they cannot go while a client is asked; again: those
 * that came since. False, and nothing changes: they are gone, or more than it has room for. */
bool ls_evidence_bundle_take(ls_evidence_bundle *bundle,
                             const ls_evidence_bundle_source *source) LS_MUST_USE;
/* Writes it, with all that was set before; `file` is closed. */
void ls_evidence_bundle_submit(ls_evidence_bundle *bundle, ls_jobs *jobs);

#endif
