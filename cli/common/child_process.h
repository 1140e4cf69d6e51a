/* Runs code that may crash, hang or leave something behind in a separate process. The child is a
 * fork of this process. It has a report in shared memory, an output file, and a block of bytes that
 * it hands over. Windows cannot copy a process: a child is another run of the command there, or a
 * thread. */
#ifndef LS_CHILD_PROCESS_H
#define LS_CHILD_PROCESS_H

#include "cli/common/child_state.h"
#include "core/base/platform.h"

typedef ls_status ls_child_function(ls_child *child, void *argument, ls_error *error);

/* Runs `run` in a child process, which ends afterwards. The child has an empty stdin, ends with its
 * parent, and is killed when its report shows no progress for `timeout_ns`.
 *   errors  IO
 *   owns    ls_child_reset, in the parent
 *   shape   on Windows the child is a thread, and the call returns when that has ended; static
 *           variables are shared
 *   thread  no other thread runs */
ls_status ls_child_start(ls_child *child, uint64_t timeout_ns, ls_child_function *run,
                         void *argument, ls_error *error) LS_MUST_USE;
/* How another run of this program's command line does the work of a child. */
typedef struct ls_child_again {
    uint64_t timeout_ns;
    const char *words; /* name the work among all children of the command */
    int file;          /* the child gets it as `extra_file`; 0: none */
} ls_child_again;

/* As ls_child_start(), and on Windows the child is a process, too: another run of the command, in
 * which ls_child_words() has the words. That run prepares an equal `argument` and calls this
 * function with equal words; it then does the work and does not return. */
ls_status ls_child_start_again(ls_child *child, const ls_child_again *again, ls_child_function *run,
                               void *argument, ls_error *error) LS_MUST_USE;
/* The words that this run was started with; NULL: it is no child. */
const char *ls_child_words(void);
/* Returns whether the child has ended. */
bool ls_child_poll(ls_child *child);
static inline void ls_child_wait(ls_child *child)
{
    while (!ls_child_poll(child))
        ls_clock_sleep_until(ls_monotonic_ns() + LS_NS_PER_MS);
}
/* Ends the child if it runs, and frees what it used. A zeroed child is allowed. */
void ls_child_reset(ls_child *child);

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
