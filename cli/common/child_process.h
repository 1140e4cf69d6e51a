/* Runs code that may crash, hang or leave something behind in a separate process. The child is a
 * fork of this process. It has a report in shared memory, an output file, and a block of bytes that
 * it hands over. */
#ifndef LS_CHILD_PROCESS_H
#define LS_CHILD_PROCESS_H

#include "desync/crash.h"

#include <sys/types.h>

/* How long a child may make no progress, unless its command has an option for it. Long, because a
 * build with sanitizers is slow. */
#define LS_CHILD_TIMEOUT_NS (60 * LS_NS_PER_S)
/* The least such time for a step that reports no progress, such as a search within a tick. */
#define LS_CHILD_SEARCH_NS (300 * LS_NS_PER_S)

/* The result of a child. Only the child writes it. The parent may read the first three members and
 * `has_no_steps` at any time, the rest once the child has ended. */
typedef struct ls_child_report {
    uint64_t ticks;       /* ticks run; __atomic builtins, relaxed: only numbers */
    uint64_t ticks_total; /* ticks that it will run, accessed in the same way; 0: unknown */
    uint64_t tick;        /* the running tick, accessed in the same way */
    bool is_done;
    ls_status status;
    ls_error error;
    char doing[160]; /* the present work, which is reported if the child dies */
    ls_crash crash;  /* how and where it crashed */
    char note[160];  /* a remark on a success */
    /* Static variables of the simulation that the ticks changed, with their lines. */
    char keeps[320];
    bool has_state; /* the bytes handed over are the state before `state_tick` */
    uint64_t state_tick;
    /* The present step reports no progress by its nature, so it may take LS_CHILD_SEARCH_NS at
     * least. */
    bool has_no_steps;
} ls_child_report;

typedef struct ls_child {
    pid_t pid; /* 0: ended or never started */
    int report_file, bytes_file, output_file;
    ls_child_report *report;
    uint64_t start_ns, end_ns;
    uint64_t progress, progress_ns; /* when `ticks` last changed */
    uint64_t timeout_ns;
    bool is_stuck; /* ended because it made no progress; `crash` has the place and no signal */
    uint64_t stuck_ns;
} ls_child;

typedef ls_status ls_child_function(ls_child *child, void *argument, ls_error *error);

/* Runs `run` in a child process, which ends afterwards. The child has an empty stdin, ends with its
 * parent, and is killed when its report shows no progress for `timeout_ns`.
 *   errors  IO
 *   owns    ls_child_reset, in the parent
 *   thread  no other thread runs */
ls_status ls_child_start(ls_child *child, uint64_t timeout_ns, ls_child_function *run,
                         void *argument, ls_error *error) LS_MUST_USE;
/* Returns whether the child has ended. */
bool ls_child_poll(ls_child *child);
void ls_child_wait(ls_child *child); /* waits until it has ended */
/* Returns the result of a child that has ended. A crash is DIVERGED, with the place and the child's
 * last output. */
ls_status ls_child_status(const ls_child *child, ls_error *error) LS_MUST_USE;
/* Ends the child if it runs, and frees what it used. A zeroed child is allowed. */
void ls_child_reset(ls_child *child);

/* Called in the child: hands bytes over. A second call replaces them; it must not hand over
 * fewer. */
ls_status ls_child_give(ls_child *child, const void *bytes, size_t count,
                        ls_error *error) LS_MUST_USE;
/* Called in the parent: takes all bytes that the child handed over.
 *   owns    ls_free(*bytes) by the caller */
ls_status ls_child_take(const ls_child *child, uint8_t **bytes, size_t *count,
                        ls_error *error) LS_MUST_USE;
ls_status ls_file_take(int file, uint8_t **bytes, size_t *count, ls_error *error) LS_MUST_USE;

/* Replaces the child by another run of this program, which finds `extra_file` under the number
 * LS_CHILD_EXTRA and attaches to the report with ls_child_attach(). Returns only on failure. */
#define LS_CHILD_EXTRA 5
ls_status ls_child_become(ls_child *child, int extra_file, char *const *arguments,
                          char *const *environment, ls_error *error) LS_MUST_USE;
/* Attaches a program that was started by ls_child_become() to its report.
 *   errors  USAGE: the process was not started that way */
ls_status ls_child_attach(ls_child *child, ls_error *error) LS_MUST_USE;
/* Ends the process and reports the result to the parent. */
LS_NO_RETURN void ls_child_exit(ls_child *child, ls_status status, const ls_error *error);

#endif
