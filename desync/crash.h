/* Where a process died: of use where it ran a simulation's code, and another process waits for what
 * it came to. */
#ifndef LS_CRASH_H
#define LS_CRASH_H

#include "core/base.h"

/* Flat, for memory that two processes share. */
typedef struct ls_crash {
    int signal;        /* 0: it did not die of one that can be caught */
    bool is_in_system; /* the rest is known */
    uint64_t tick;
    char system[64]; /* cut, if its name is longer */
    char line[200];  /* `function at file:line` of the simulation's code; "" when nobody knows */
} ls_crash;

/* From now on a signal by which this process dies says so in *crash before it does; what was done
 * about the signal before is done after that. Once a process; a fork of it says where it notes
 * things itself.
 *   owns    *crash, which stays, belongs to the caller
 *   thread  the first one, before it starts others */
void ls_crash_watch(ls_crash *crash);

#endif
