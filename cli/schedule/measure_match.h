/* Runs a match, with bots if the simulation has them, and measures its systems. */
#ifndef LS_MEASURE_MATCH_H
#define LS_MEASURE_MATCH_H

#include "cli/common/match_options.h"
#include "cli/schedule/tick_times.h"

/* Adds all ticks to `times`, which the caller has initialised for the number of threads in the
 * options.
 *   errors  those of ls_match_options_apply(), ls_executor_create() and ls_world_advance() */
ls_status ls_measure_match(const ls_match_options *options, uint64_t ticks, ls_tick_times *times,
                           ls_error *error) LS_MUST_USE;

#endif
