/* Notes where a process died that runs a simulation's code, for the parent process that waits for
 * its result. */
#ifndef LS_CRASH_H
#define LS_CRASH_H

#include <lockstep/base.h>

/* One crash, without pointers, so that two processes can share it in memory. */
typedef struct ls_crash {
    int signal;        /* 0: no signal that can be caught ended the process */
    bool is_in_system; /* the members below are set */
    uint64_t tick;
    char system[64]; /* its name, cut if it is too long */
    /* The line in the simulation's code, `function at file:line`; "" when it is unknown. */
    char line[200];
} ls_crash;

/* From now on, a signal that ends this process is noted in *crash first; then the previous action
 * for the signal follows. Called once in a process; a forked child calls it again with its own
 * *crash.
 *   owns    *crash, which belongs to the caller and stays valid
 *   thread  the first one, before it starts others */
void ls_crash_watch(ls_crash *crash);

/* Like ls_crash_watch(), for a process without a parent that waits for its result: prints a line
 * about the crash on stderr.
 *   owns    `name` begins the line and outlives the process
 *   thread  as ls_crash_watch() */
void ls_crash_report(const char *name);

/* Prints the place of a crash, as ` in system "fight", tick 17 (function at file:line)`. */
void ls_crash_print_place(const ls_crash *crash, char *text, size_t bytes);

/* Names a signal, as "Segmentation fault". */
const char *ls_crash_signal_text(int number);

/* Called before this thread calls a function of the simulation that is no system, with the
 * function's name and address. Called with NULL and 0 when it has returned. If the process dies in
 * between, the line of ls_crash_report() has `what`, and the place in the code if it is found.
 *   owns    `what` outlives the call */
void ls_crash_at(const char *what, uintptr_t function);

#endif
