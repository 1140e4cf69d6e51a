/* Hints at queries that no entity can match. */
#ifndef LS_QUERY_HINTS_H
#define LS_QUERY_HINTS_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Adds hints to the report of a schedule without errors. */
void ls_query_hints_find(const ls_program *program, struct ls_schedule_report *report);

#endif
