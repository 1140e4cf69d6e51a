/* LS_WEB_SIM is the simulation of a module. A built-in one has a name of its own, which
 * CMakeLists.txt defines; that of a user is exported as by NAME.so. */
#ifndef LS_WEB_SIMULATION_H
#define LS_WEB_SIMULATION_H

#include <lockstep/sim.h>

#ifdef LS_WEB_SIM
extern const ls_sim LS_WEB_SIM;
#else
const ls_sim *ls_sim_export(void);
#define LS_WEB_SIM (*ls_sim_export())
#endif

#endif
