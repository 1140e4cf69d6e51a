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

/* From now on a signal by which this process dies says so in *crash before it does; what was done
 * about the signal before is done after that. Once a process; a fork of it says where it notes
 * things itself.
 *   owns    *crash, which stays, belongs to the caller
 *   thread  the first one, before it starts others */
void ls_crash_watch(ls_crash *crash);

/* The same for a process that no other waits for: it prints a line about its death on stderr.
 *   owns    `who` begins the line and outlives the process
 *   thread  as ls_crash_watch() */
void ls_crash_tell(const char *who);

/* ` in system "fight", tick 17 (function at file:line)`, of a crash in a system. */
void ls_crash_print_place(const ls_crash *crash, char *text, size_t bytes);

/* This thread calls a function of the simulation that is no system: its name and its address, or
 * NULL and 0 after it. A death in it is reported with both.
 *   owns    `what` outlives the call */
void ls_crash_at(const char *what, uintptr_t function);

#endif
