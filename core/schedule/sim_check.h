/* Checks what a simulation states about itself: limits, settings and names. Systems and their order
 * are checked by the sources that resolve them. */
#ifndef LS_SIM_CHECK_H
#define LS_SIM_CHECK_H
#include <lockstep/schedule_report.h>
#include <lockstep/sim.h>

static inline bool ls_sim_is_nameless(const char *name)
{
    return !name || !name[0];
}

/* Each function below adds its faults to the report; `*first` keeps the first status. */

/* Whether this engine can read the simulation. If not, nothing else of it may be read. */
bool ls_sim_check_abi(const ls_sim *sim, ls_schedule_report *report, ls_status *first);
/* Shortens lists that exceed their limits. True if the rest can be checked, because nothing that it
 * depends on was cut off. */
bool ls_sim_cut_to_limits(ls_sim *sim, ls_schedule_report *report, ls_status *first);
void ls_sim_check_settings(const ls_sim *sim, ls_schedule_report *report, ls_status *first);
/* Whether all parts that the schedule finds by name have one. */
bool ls_sim_check_names(const ls_sim *sim, ls_schedule_report *report, ls_status *first);

#endif
