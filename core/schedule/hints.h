/* Hints: parts of a schedule that are legal but worth a look. */
#ifndef LS_HINTS_H
#define LS_HINTS_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* For a schedule that builds. */
void ls_hints_find(const ls_program *program, struct ls_schedule_report *report);

#endif
