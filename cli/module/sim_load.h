/* Loads the simulation that --sim names and builds its program: a built-in one, or one in a shared
 * object. No other file loads code. */
#ifndef LS_SIM_LOAD_H
#define LS_SIM_LOAD_H

#include <lockstep/program.h>

typedef struct ls_loaded_sim {
    void *library; /* from dlopen(); NULL for a built-in simulation */
    const ls_sim *sim;
    ls_program *program;
} ls_loaded_sim;

/* Finds the simulation and builds its program. A text with a '/' or ending in ".so" or ".dll" is a
 * file.
 *   errors  NOT_FOUND: no simulation, or no file, of that name; USAGE: the file is no shared
 *           object, or exports no ls_sim_export; INCOMPATIBLE: built against another LS_SIM_ABI;
 *           and those of ls_program_create. The text names the thing and the remedy; *loaded is
 *           zeroed. A module without a hash of its sources gets a warning on stderr
 *   owns    ls_sim_unload, after the last world
 *   thread  main */
ls_status ls_sim_load(const char *name, ls_loaded_sim *loaded, ls_error *error) LS_MUST_USE;
/* Like ls_sim_load(), for --other, which error messages then name. */
ls_status ls_sim_load_other(const char *name, ls_loaded_sim *loaded, ls_error *error) LS_MUST_USE;
/* Like ls_sim_load() without building the program, to find out why it does not build. */
ls_status ls_sim_find(const char *name, ls_loaded_sim *loaded, ls_error *error) LS_MUST_USE;
/* Whether the simulation's fingerprint covers its sources. */
bool ls_sim_has_source_hash(const ls_sim *sim);
void ls_sim_unload(ls_loaded_sim *loaded); /* a zeroed one is allowed */

#define LS_SIM_NAMES_MAX 64
/* Gives the names of the built-in simulations, in order; returns their number. */
uint32_t ls_sim_names(const char *names[LS_SIM_NAMES_MAX]);

#endif
