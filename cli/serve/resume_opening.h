/* A recording that is opened to be continued, with its file of seats. */
#ifndef LS_RESUME_OPENING_H
#define LS_RESUME_OPENING_H

#include "core/base/platform_file.h"
#include "server/seats_file.h"
#include <lockstep/jobs.h>
#include <lockstep/recorder.h>
#include <lockstep/recording_series.h>

typedef struct ls_resume_opening {
    ls_job job; /* the first member: its function casts it back */
    const ls_program *program;
    char path[LS_PATH_BYTES_MAX];
    /* results */
    ls_status status;
    ls_error error;
    ls_recorder *recorder; /* NULL: it could not be opened, or a room owns it */
    ls_series *series;     /* NULL: not opened, or a room owns it */
    uint32_t epoch;        /* the next one */
    uint32_t evidence_count;
    char seats_path[LS_PATH_BYTES_MAX];
    bool has_seats; /* `seats` belongs to this recording */
    ls_seats_file seats;
} ls_resume_opening;

/* Owns nothing yet.
 *   owns    free with ls_resume_opening_destroy() */
ls_resume_opening *ls_resume_opening_create(const char *path, const ls_program *program);
/* Closes what no room owns. The job must be idle. NULL is allowed. */
void ls_resume_opening_destroy(ls_resume_opening *opening);
/* Opens the files now, or, as the job, on the thread that runs it.
 *   errors  in `status`: those of ls_recordings_resume(); LIMIT: the path is too long
 *   thread  any */
void ls_resume_opening_run(ls_job *job);

#endif
