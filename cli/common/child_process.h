/* A separate process for code that may crash, hang or leave something behind. It is a fork of this
 * process, with a report in shared memory, its output, and a block of bytes that it hands over. */
#ifndef LS_CHILD_PROCESS_H
#define LS_CHILD_PROCESS_H

#include "desync/crash.h"

#include <sys/types.h>

/* How long a child may make no progress, unless its command has an option for it: a build with
 * sanitizers is slow. */
#define LS_CHILD_PATIENCE_NS (60 * LS_NS_PER_S)
/* For a search within a tick, say. */
#define LS_CHILD_SEARCH_NS (300 * LS_NS_PER_S)

/* Only the child writes it. The parent may read the first three members and `has_no_steps` at any
 * time, the rest once the child has ended. */
typedef struct ls_child_report {
    uint64_t ticks;       /* run so far; by __atomic builtins */
    uint64_t ticks_total; /* that it will run, the same way; 0: not known */
    uint64_t tick;        /* that it runs, the same way */
    bool is_done;
    ls_status status;
    ls_error error;
    char doing[160]; /* what it is doing, reported when it dies of it */
    ls_crash crash;  /* of what, and where */
    char note[160];  /* a remark on a good end */
    char keeps[320]; /* variables of the simulation that its ticks changed, with their lines */
    bool has_state;  /* the bytes handed over are the state before `state_tick` */
    uint64_t state_tick;
    bool has_no_steps; /* it is at something that shows no progress, by no fault of its own: it has
                          LS_CHILD_SEARCH_NS at least */
} ls_child_report;

typedef struct ls_child {
    pid_t pid; /* 0: ended or never started */
    int report_file, bytes_file, output_file;
    ls_child_report *report;
    uint64_t start_ns, end_ns;
    uint64_t progress, progress_ns; /* when `ticks` moved last */
    uint64_t patience_ns;
    bool is_stuck; /* ended for want of progress; where it was: `crash`, without a signal */
    uint64_t stuck_ns;
} ls_child;

typedef ls_status ls_child_function(ls_child *child, void *argument, ls_error *error);

/* Runs `run` in a child process, which ends afterwards. The child has an empty stdin, ends with its
 * parent, and is killed when its report shows no progress for `patience_ns`.
 *   errors  IO
 *   owns    ls_child_reset, in the parent
 *   thread  no other thread runs */
ls_status ls_child_start(ls_child *child, uint64_t patience_ns, ls_child_function *run,
                         void *argument, ls_error *error) LS_MUST_USE;
/* False while it runs. */
bool ls_child_poll(ls_child *child);
void ls_child_wait(ls_child *child); /* until it has ended */
/* The result of a child that has ended. A crash is DIVERGED, with the place and the child's last
 * output. */
ls_status ls_child_status(const ls_child *child, ls_error *error) LS_MUST_USE;
/* Ends it if it runs. A zeroed one is allowed. */
void ls_child_reset(ls_child *child);

/* In the child: hands bytes over. A second call replaces them, by no fewer. */
ls_status ls_child_give(ls_child *child, const void *bytes, size_t count,
                        ls_error *error) LS_MUST_USE;
/* Called in the parent: takes all bytes that the child handed over.
 *   owns    ls_free(*bytes) by the caller */
ls_status ls_child_take(const ls_child *child, uint8_t **bytes, size_t *count,
                        ls_error *error) LS_MUST_USE;
ls_status ls_file_take(int file, uint8_t **bytes, size_t *count, ls_error *error) LS_MUST_USE;

/* Replaces the child by another program, which finds `extra_file` as LS_CHILD_EXTRA and joins the
 * report by ls_child_attach(). Returns only on failure. */
#define LS_CHILD_EXTRA 5
ls_status ls_child_become(ls_child *child, int extra_file, char *const *arguments,
                          char *const *environment, ls_error *error) LS_MUST_USE;
/* errors  USAGE: the process was not started by ls_child_start() */
ls_status ls_child_attach(ls_child *child, ls_error *error) LS_MUST_USE;
/* Ends the process with what it found. */
LS_NO_RETURN void ls_child_exit(ls_child *child, ls_status status, const ls_error *error);

#endif
