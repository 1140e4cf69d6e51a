/* Exports the built-in simulation that CMakeLists.txt names. */
#include "web/simulation.h"

/* CMakeLists.txt defines the name, e.g. ls_skirmish_sim. */
extern const ls_sim LS_WEB_SIM;

const ls_sim *ls_sim_export(void)
{
    return &LS_WEB_SIM;
}
