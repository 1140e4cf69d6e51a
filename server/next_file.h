/* The next file of a match after a write error: a failed file is never written again. The recording
 * continues in NAME.1.lsr, NAME.2.lsr and so on, each from a keyframe on. A job makes the file
 * while the match continues; the frames since the keyframe come from the ring.
 *   source  docs/replay-format.md */
#ifndef LS_NEXT_FILE_H
#define LS_NEXT_FILE_H

#include <lockstep/identity.h>
#include <lockstep/jobs.h>
#include <lockstep/recorder.h>

/* Seconds between two attempts, in which the disk may recover. */
#define LS_NEXT_FILE_PAUSE_S 5

typedef struct ls_next_file {
    ls_job job;
    ls_status (*open)(const char *path, ls_sink *sink, ls_error *error); /* NULL: no segments */
    ls_recording_header header; /* header of the next file */
    char *first_name;           /* name of the match's first file; owned */
    char *name;                 /* name of the next file; owned */
    bool is_wanted;             /* the recording has failed and a next file must follow */
    uint64_t due;               /* the next attempt is at or after this tick */
    const ls_identity *identity;
    const ls_recording_keyframe *keyframe; /* the file's first state */
    bool has_link;
    ls_recording_link link; /* link to the file before it */
    /* Output of the job. */
    ls_recorder *recorder;
    ls_error error;
} ls_next_file;

/* Copies name and header. Does nothing if `open` is NULL. */
void ls_next_file_init(ls_next_file *next, const char *name, const ls_recording_header *header,
                       const ls_identity *identity);
/* Waits for the job and destroys its output. */
void ls_next_file_reset(ls_next_file *next, ls_jobs *jobs);

/* Called when the recording has failed at `tick`: requests a next file, unless the limit of files
 * is reached. */
void ls_next_file_want(ls_next_file *next, uint64_t tick);
/* Returns the first tick with a full keyframe that may begin the next file; UINT64_MAX: none is
 * wanted, or a job is making it. */
uint64_t ls_next_file_due(const ls_next_file *next);
/* The start of the next file. */
typedef struct ls_next_file_start {
    const ls_recording_keyframe *keyframe; /* must be valid until ls_next_file_take() */
    const ls_recorder *failed;             /* recorder of the failed file before it */
    uint32_t epoch;
} ls_next_file_start;
/* Submits the job that makes the next file. */
void ls_next_file_begin(ls_next_file *next, ls_jobs *jobs, const ls_next_file_start *start,
                        const ls_entropy *entropy);
/* Called after the job: returns the new file's recorder, which the caller owns. NULL, with
 * next->error, when the attempt failed; the next attempt is then requested. */
ls_recorder *ls_next_file_take(ls_next_file *next) LS_MUST_USE;

#endif
