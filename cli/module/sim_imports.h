/* Functions outside of the engine that a simulation's shared object calls and that can make two
 * machines differ: clocks, random numbers, the environment, and all of libm that is not exact. A
 * hint for people, not a proof: what is linked in, and what another library calls for it, is not
 * seen. */
#ifndef LS_SIM_IMPORTS_H
#define LS_SIM_IMPORTS_H

#include "cli/module/sim_load.h"

typedef struct ls_sim_imports {
    char names[256];  /* "getenv(), time()"; "" for none, and for a simulation that is built in */
    bool has_floats;  /* some of them are libm's */
    bool has_machine; /* or read clock, random numbers, or what is around the process */
} ls_sim_imports;

/* Whether a symbol of the C library gives access to a clock, to random numbers, to the process or
 * to the machine that it runs on. */
bool ls_sim_imports_is_machine(const char *name);

/* thread  main */
void ls_sim_imports_find(const ls_loaded_sim *loaded, ls_sim_imports *imports);

#endif
