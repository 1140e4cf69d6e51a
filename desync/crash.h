/* Where a process died, for a process that runs a simulation's code while another one waits for its
 * result. */
#ifndef LS_CRASH_H
#define LS_CRASH_H

#include <lockstep/base.h>

/* Flat, for memory that two processes share. */
typedef struct ls_crash {
    int signal;        /* 0: it did not die of one that can be caught */
    bool is_in_system; /* the rest is known */
    uint64_t tick;
    char system[64]; /* cut, if its name is longer */
    char line[200];  /* `function at file:line` of the simulation's code; "" when it is unknown */
} ls_crash;

/* From now on, a signal that ends this process is noted in *crash first; then the previous action
 * for the signal follows. Called once in a process; a fork of it says where it notes its own death.
 *   owns    *crash, which stays, belongs to the caller
 *   thread  the first one, before it starts others */
void ls_crash_watch(ls_crash *crash);

/* The same for a process that no other waits for: it prints a line about its death on stderr.
 *   owns    `who` begins the line and outlives the process
 *   thread  as ls_crash_watch() */
void ls_crash_tell(const char *who);

/* ` in system "fight", tick 17 (function at file:line)`, of a crash in a system. */
void ls_crash_print_place(const ls_crash *crash, char *text, size_t bytes);

/* Called before this thread calls a function of the simulation that is no system, with its name and
 * address, and after the call with NULL and 0. A death in the function is reported with both.
 *   owns    `what` outlives the call */
void ls_crash_at(const char *what, uintptr_t function);

#endif
