/* The search of `lockstep bisect`. It runs in a separate process, so that a crash of a side is a
 * result. */
#ifndef LS_BISECT_RUN_H
#define LS_BISECT_RUN_H

#include "cli/bisect/bisect_alone.h"
#include "core/base/builder.h"
#include "desync/bisect.h"

/* The two sides: two recordings, each with its program, or one recording with two programs. */
typedef struct ls_bisect_pair {
    ls_recording *recordings[2]; /* recordings[1] is NULL if there is only one */
    const ls_program *programs[2];
    const char *names[2]; /* of the sides */
    /* For one recording: the result of each build in a process of its own; or NULL. */
    const ls_bisect_alone *alone;
    uint64_t timeout_ns; /* after which a process that makes no progress is ended */
    bool is_json, shows_progress;
} ls_bisect_pair;

/* Searches, and prints the findings on stdout. `*kind` says what was found. After a crash, each
 * side is also run alone, to find out which side crashed.
 *   errors  as ls_bisect_recordings() and ls_bisect_builds(); IO: no process could be started
 *   thread  as ls_child_start() */
ls_status ls_bisect_run(const ls_bisect_pair *pair, ls_bisect_kind *kind,
                        ls_error *error) LS_MUST_USE;

#endif
