/* Remedies: as few edges as can be found that order every ambiguous pair. */
#ifndef LS_REMEDIES_H
#define LS_REMEDIES_H
#include "core/base/graph.h"
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* `ambiguous` has an edge for each pair, from the lower position. Fills in the report's
 * remedies. */
void ls_remedies_find(const ls_program *program, const ls_graph *ambiguous,
                      ls_schedule_report *report);

#endif
