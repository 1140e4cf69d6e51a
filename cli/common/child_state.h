/* The state that parent and child share: cli/common/child_process.h. On Windows some children are
 * threads. */
#ifndef LS_CHILD_STATE_H
#define LS_CHILD_STATE_H

#include "cli/common/clock.h"
#include "desync/crash.h"

#include <sys/types.h>

/* How long a child may make no progress, unless its command has an option for it. Long, because a
 * build with sanitizers is slow. */
#define LS_CHILD_TIMEOUT_NS (60 * LS_SECOND_NS)
/* The least such time for a step that reports no progress, such as a search within a tick. */
#define LS_CHILD_SEARCH_NS (300 * LS_SECOND_NS)

/* The result of a child. Only the child writes it. The parent may read the first three members and
 * `has_no_steps` at any time, on Windows also `is_done` and `crash.signal`; the rest once the child
 * has ended. */
typedef struct ls_child_report {
    uint64_t ticks;       /* ticks run; accessed by relaxed __atomic builtins */
    uint64_t ticks_total; /* ticks that the child will run, accessed like `ticks`; 0: unknown */
    uint64_t tick;        /* the running tick, accessed like `ticks` */
    bool is_done;
    ls_status status;
    ls_error error;
    char doing[160]; /* the present work, which is reported if the child dies */
    ls_crash crash;  /* how and where it crashed */
    char note[160];  /* a remark on a success */
    /* Static variables of the simulation that the ticks changed, with source line and size, one a
     * line. */
    char keeps[512];
    bool has_state; /* the bytes handed over are the state before `state_tick` */
    uint64_t state_tick;
    /* The present step reports no progress by its nature, so it may take LS_CHILD_SEARCH_NS at
     * least. */
    bool has_no_steps;
} ls_child_report;

typedef struct ls_child {
    pid_t pid; /* on Windows the handle; 0: ended or never started */
    int report_file, bytes_file, output_file;
    int extra_file; /* in a child that is another run: what the parent gave it; 0: none */
    ls_child_report *report;
    uint64_t start_ns, end_ns;
    uint64_t progress, progress_ns; /* the last `ticks` that the parent saw, and when it changed */
    uint64_t timeout_ns;
    bool is_stuck; /* ended because it made no progress; `crash` has the place and no signal */
    uint64_t stuck_ns;
} ls_child;

/* Called in the parent: returns whether the child has made no progress for too long. */
bool ls_child_is_late(ls_child *child, uint64_t now_ns);
/* Called in the parent for a child that ended without a result: sets the result from its crash and
 * `is_stuck`, or from `end` if neither says how it ended. */
void ls_child_note_death(ls_child *child, const char *end);

/* Returns the result of a child that has ended. A crash is DIVERGED, with the place and the child's
 * last output. */
ls_status ls_child_status(const ls_child *child, ls_error *error) LS_MUST_USE;

/* Called in the child: hands bytes over. A second call replaces them; it must not hand over
 * fewer. */
ls_status ls_child_give(ls_child *child, const void *bytes, size_t count,
                        ls_error *error) LS_MUST_USE;
/* Called in the parent: takes all bytes that the child handed over.
 *   owns    ls_free(*bytes) by the caller */
ls_status ls_child_take(const ls_child *child, uint8_t **bytes, size_t *count,
                        ls_error *error) LS_MUST_USE;
/* Makes a file without a name that has these bytes, for ls_file_take(). Returns its descriptor;
 * below 0: none can be made. */
int ls_file_make(const uint8_t *bytes, size_t count) LS_MUST_USE;
ls_status ls_file_take(int file, uint8_t **bytes, size_t *count, ls_error *error) LS_MUST_USE;

#endif
