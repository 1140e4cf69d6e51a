/* A bundle of evidence: a recording of the ticks around a desync, with an evidence record
 * (replays/evidence.h) at its end. Written by a job, one at a time, while the match goes on.
 *   thread  the room's; the job has all to itself that it works on */
#ifndef LS_SERVER_BUNDLE_H
#define LS_SERVER_BUNDLE_H

#include "proto/identity.h"
#include "replays/evidence.h"
#include "replays/recorder.h"
#include "server/inquiry.h"
#include "server/jobs.h"
#include "server/tick_ring.h"

#define LS_BUNDLE_NAME_BYTES LS_RECORDING_TEXT_BYTES

typedef struct ls_bundle {
    ls_job job;
    ls_inquiry *inquiry;   /* what it has found, with the states */
    ls_evidence *evidence; /* what the room knows; the rest comes from the inquiry */
    ls_sink sink;
    char name[LS_BUNDLE_NAME_BYTES];
    ls_recording_header header;
    const ls_identity *identity; /* that signs it */
    ls_recording_keyframe keyframe;
    ls_tick_ring ring;   /* frames from the keyframe's tick on; a copy */
    uint32_t root_count; /* of the states from there on */
    uint64_t *roots;
    /* What came of it. */
    ls_status status;
    ls_error error;
    uint64_t bytes;
} ls_bundle;

/* Takes `inquiry` and `evidence` over. */
ls_bundle *ls_bundle_create(ls_inquiry *inquiry, ls_evidence *evidence);
/* Behind its job; the inquiry's snapshots as ls_inquiry_destroy() says. NULL is allowed. */
void ls_bundle_destroy(ls_bundle *bundle);

/* The tick of its keyframe, which is that of its first frame. */
uint64_t ls_bundle_first(const ls_bundle *bundle);
/* Copies the frames from there on; false when the ring has them no more. */
bool ls_bundle_take_frames(ls_bundle *bundle, const ls_tick_ring *ring) LS_MUST_USE;
/* Who had a seat before the first of these frames, from who has one behind the last. */
void ls_bundle_rewind(ls_bundle *bundle, uint64_t players, bool is_paused);
/* Writes it, with all that was set before; `sink` is closed. */
void ls_bundle_submit(ls_bundle *bundle, ls_jobs *jobs);

#endif
