/* Finds functions outside of the engine that a simulation's shared object calls and that can make
 * two machines differ: clocks, random numbers, the environment, and the inexact part of libm. A
 * hint and no proof: linked-in code and calls by other libraries are not seen. */
#ifndef LS_SIM_IMPORTS_H
#define LS_SIM_IMPORTS_H

#include "cli/module/sim_load.h"

typedef struct ls_sim_imports {
    char names[256]; /* as "getenv(), time()"; "" if there are none or the simulation is built in */
    bool has_floats; /* some of them are libm's */
    /* Some of them read clock, random numbers, or data of the process or the machine. */
    bool has_machine;
} ls_sim_imports;

/* Whether the named function or variable gives access to a clock, to random numbers, to the process
 * or to its machine. */
bool ls_sim_imports_is_machine(const char *name);

/* Finds such functions among those that the loaded simulation calls.
 *   thread  main */
void ls_sim_imports_find(const ls_loaded_sim *loaded, ls_sim_imports *imports);

#endif
