/* lockstep schedule check: prints what the check of a schedule found. */
#ifndef LS_SCHEDULE_CHECK_H
#define LS_SCHEDULE_CHECK_H

#include "cli/common/command.h"

#include <stdbool.h>

/* Loads the simulation and prints the result of its schedule's check. Returns 6 for a schedule that
 * does not build. With sources, the findings that refuse it are printed as a compiler does, with
 * the lines that declare what they name, and nothing is printed for a schedule that builds. */
ls_exit ls_schedule_check_print(const char *sim, bool is_json, const char *const *sources,
                                uint32_t source_count);

#endif
