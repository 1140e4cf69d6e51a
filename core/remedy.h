/* Which edges would give every ambiguous pair an order: as few as can be found. */
#ifndef LS_REMEDY_H
#define LS_REMEDY_H

#include "core/graph.h"
#include "core/program_internal.h"
#include "core/schedule_report.h"

/* `ambiguous` has an edge for each pair, from the lower position. Fills the report's remedies. */
void ls_remedies_find(const ls_program *program, const ls_graph *ambiguous,
                      ls_schedule_report *report);

#endif
