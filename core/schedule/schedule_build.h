/* Builds the schedule of a program. */
#ifndef LS_SCHEDULE_BUILD_H
#define LS_SCHEDULE_BUILD_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Sorts program->systems, fills in edges and paths, and reports all errors. */
void ls_schedule_build(ls_program *program, struct ls_schedule_report *report);

#endif
