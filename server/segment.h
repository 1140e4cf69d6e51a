/* The next file of a match after a write error: a failed file is never touched again. The match
 * continues in NAME.1.lsr, NAME.2.lsr and so on, each from a keyframe on. A job makes the file
 * while the match goes on; the frames since then come from the ring.
 *   source  docs/replay-format.md */
#ifndef LS_SEGMENT_H
#define LS_SEGMENT_H

#include <lockstep/identity.h>
#include <lockstep/jobs.h>
#include <lockstep/recorder.h>

/* Pause between two attempts, for the disk to recover. */
#define LS_SEGMENT_PAUSE_S 5

typedef struct ls_segment {
    ls_job job;
    ls_status (*open)(const char *path, ls_sink *sink, ls_error *error); /* NULL: no segments */
    ls_recording_header header;                                          /* of the next */
    char *first_name; /* of the match's first file; owned */
    char *name;       /* of the next; owned */
    bool is_wanted;   /* the recording has failed and a next file is to follow */
    uint64_t due;     /* the next attempt is at or after this tick */
    const ls_identity *identity;
    const ls_recording_keyframe *keyframe; /* the first state of the file */
    bool has_link;
    ls_recording_link link; /* to the file before it */
    /* Output of the job. */
    ls_recorder *recorder;
    ls_error error;
} ls_segment;

/* Copies name and header; does nothing without `open`. */
void ls_segment_init(ls_segment *segment, const char *name, const ls_recording_header *header,
                     const ls_identity *identity);
/* Waits for the job and destroys its output. */
void ls_segment_reset(ls_segment *segment, ls_jobs *jobs);

/* The recording has failed at this tick: asks for a next file, unless the limit is reached. */
void ls_segment_want(ls_segment *segment, uint64_t tick);
/* The first tick whose full keyframe may begin a file; UINT64_MAX: none is wanted. */
uint64_t ls_segment_due(const ls_segment *segment);
/* The begin of a file. */
typedef struct ls_segment_start {
    const ls_recording_keyframe *keyframe; /* lives until ls_segment_take() */
    const ls_recorder *failed;             /* the file before it */
    uint32_t epoch;
} ls_segment_start;
/* Submits the job. */
void ls_segment_begin(ls_segment *segment, ls_jobs *jobs, const ls_segment_start *start,
                      const ls_entropy *entropy);
/* After the job: the recorder, owned by the caller. NULL, with segment->error: there is no file;
 * asks for the next attempt. */
ls_recorder *ls_segment_take(ls_segment *segment) LS_MUST_USE;

#endif
