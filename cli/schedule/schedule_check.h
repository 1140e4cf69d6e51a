/* lockstep schedule check: prints what the check of a schedule found. */
#ifndef LS_SCHEDULE_CHECK_H
#define LS_SCHEDULE_CHECK_H

#include "cli/common/command.h"

#include <stdbool.h>

/* Loads the simulation and prints the result of its schedule's check. Returns 6 for a schedule that
 * does not build. */
ls_exit ls_schedule_check_print(const char *sim, bool is_json);

#endif
