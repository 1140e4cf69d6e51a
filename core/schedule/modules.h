/* Makes one simulation of a simulation and the modules that it uses. */
#ifndef LS_MODULES_H
#define LS_MODULES_H
#include "core/base/builder.h"
#include "core/schedule/module_list.h"

typedef struct ls_merged_sim {
    ls_sim sim; /* lists the parts of all modules, with full names */
    ls_part_list parts;
    void *pieces; /* linked list of the memory of the lists */
} ls_merged_sim;

/* Merges a simulation.
 *   errors  USAGE, LIMIT; the report has all faults, and *merged lacks the faulty modules
 *   owns    the caller, who calls ls_merged_sim_destroy() also after an error */
ls_status ls_merged_sim_create(const ls_sim *sim, ls_schedule_report *report,
                               ls_merged_sim **merged);
void ls_merged_sim_destroy(ls_merged_sim *merged); /* NULL is allowed */

/* The number of the module that the full name belongs to; 0: the simulation itself. */
uint32_t ls_merged_part_of(const ls_merged_sim *merged, const char *name);
/* The match as the functions of this part see it: a module sees only its own options. */
ls_match ls_merged_match(const ls_merged_sim *merged, uint32_t part, const ls_match *match);
/* Writes the full name of a name in a list of the part. */
void ls_part_full_name(const ls_part *part, const char *name, uint32_t name_bytes,
                       ls_builder *text);

#endif
