/* Hints at names of a schedule that are legal but lead nowhere. */
#ifndef LS_NAME_HINTS_H
#define LS_NAME_HINTS_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Adds hints to the report of a schedule without errors. */
void ls_name_hints_find(const ls_program *program, struct ls_schedule_report *report);

#endif
