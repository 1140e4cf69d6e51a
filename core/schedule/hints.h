/* Hints: findings about a schedule that is legal but may not be intended. */
#ifndef LS_HINTS_H
#define LS_HINTS_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Adds hints to the report of a schedule without errors. */
void ls_hints_find(const ls_program *program, struct ls_schedule_report *report);

#endif
