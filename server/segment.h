/* The next file of a match whose disk refused: a failed recording is never touched again, so what
 * comes is recorded in NAME.1.lsr, then NAME.2.lsr and so on, each from a keyframe on. A job makes
 * the file; the match goes on meanwhile, and its frames are taken from the ring.
 *   source  docs/replay-format.md */
#ifndef LS_SEGMENT_H
#define LS_SEGMENT_H

#include <lockstep/identity.h>
#include <lockstep/jobs.h>
#include <lockstep/recorder.h>

/* What a disk is given to recover, from one attempt to the next. */
#define LS_SEGMENT_PAUSE_S 5

typedef struct ls_segment {
    ls_job job;
    ls_status (*open)(const char *path, ls_sink *sink, ls_error *error); /* NULL: no segments */
    ls_recording_header header;                                          /* of the next */
    char *first_name; /* of the match's first file; owned */
    char *name;       /* of the next; owned */
    bool is_wanted;   /* the recording has failed, and a next one is to come */
    uint64_t due;     /* the tick from which on it is tried */
    const ls_identity *identity;
    const ls_recording_keyframe *keyframe; /* it begins with this */
    bool has_link;
    ls_recording_link link; /* to the file in front of it */
    /* What the job has made. */
    ls_recorder *recorder;
    ls_error error;
} ls_segment;

/* Copies name and header; nothing without `open`. */
void ls_segment_init(ls_segment *segment, const char *name, const ls_recording_header *header,
                     const ls_identity *identity);
/* Waits for the job and gives up what it made. */
void ls_segment_reset(ls_segment *segment, ls_jobs *jobs);

/* The recording has failed at this tick: asks for the next one, unless there are none any more. */
void ls_segment_want(ls_segment *segment, uint64_t tick);
/* From which tick on a full keyframe is wanted, for a file to begin with; UINT64_MAX: none is. */
uint64_t ls_segment_due(const ls_segment *segment);
/* With what a file begins. */
typedef struct ls_segment_start {
    const ls_recording_keyframe *keyframe; /* lives until the job was taken */
    const ls_recorder *failed;             /* the file in front of it */
    uint32_t epoch;
} ls_segment_start;
/* Begins to make the file. */
void ls_segment_begin(ls_segment *segment, ls_jobs *jobs, const ls_segment_start *start,
                      const ls_entropy *entropy);
/* After the job: the recorder, which becomes the caller's; NULL, with segment->error: no file, or
 * it was not made. Asks for a next attempt then. */
ls_recorder *ls_segment_take(ls_segment *segment) LS_MUST_USE;

#endif
