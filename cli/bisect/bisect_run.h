/* The search of `lockstep bisect`, in a separate process: a crash of a side is a result. */
#ifndef LS_BISECT_RUN_H
#define LS_BISECT_RUN_H

#include "cli/bisect/bisect_alone.h"
#include "core/base/builder.h"
#include "desync/bisect.h"

/* The sides: two recordings, each with its program, or one with two. */
typedef struct ls_bisect_pair {
    ls_recording *recordings[2]; /* the second is NULL when there is one */
    const ls_program *programs[2];
    const char *names[2]; /* of the sides */
    /* For one recording: the result of each build in a process of its own; NULL: not known. */
    const ls_bisect_alone *alone;
    uint64_t patience_ns; /* with a tick that is run */
    bool is_json, shows_progress;
} ls_bisect_pair;

/* Searches, and prints the findings on stdout. `*kind` says what was found. After a crash, each
 * side is also run alone, to find out which side crashed.
 *   errors  as ls_bisect_recordings() and ls_bisect_builds(); IO: no process
 *   thread  as ls_child_start() */
ls_status ls_bisect_run(const ls_bisect_pair *pair, ls_bisect_kind *kind,
                        ls_error *error) LS_MUST_USE;

#endif
