/* Which stage comes when. Made while a schedule is built. */
#ifndef LS_STAGES_H
#define LS_STAGES_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Fills program->stages but for where their systems stand; reports what is wrong. */
void ls_stages_order(ls_program *program, ls_schedule_report *report);
/* The place in the order of the stage with that name, UINT32_MAX when there is none. NULL is the
 * stage that the simulation lists first. */
uint32_t ls_stages_find(const ls_program *program, const char *name);

#endif
