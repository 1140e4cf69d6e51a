/* Orders the stages while a schedule is built. */
#ifndef LS_STAGES_H
#define LS_STAGES_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Fills in program->stages, except the positions of their systems; reports errors. With errors the
 * stages are in the order of the list, none within another. */
void ls_stages_order(ls_program *program, ls_schedule_report *report);
/* The index of the stage in the order; UINT32_MAX when there is none. NULL means the first listed
 * stage. */
uint32_t ls_stages_find(const ls_program *program, const char *name);
/* Whether the system's stage and slot exist. */
bool ls_stages_has_place(const ls_program *program, const ls_system *system);

#endif
