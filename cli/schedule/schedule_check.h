/* lockstep schedule check */
#ifndef LS_SCHEDULE_CHECK_H
#define LS_SCHEDULE_CHECK_H

#include "cli/common/command.h"

#include <stdbool.h>

/* Loads the simulation and prints what its check found; refusals are the exit code 6. */
ls_exit ls_schedule_check_print(const char *sim, bool is_json);

#endif
