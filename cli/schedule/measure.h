/* Runs a match with bots, where the simulation has some, and measures its systems. */
#ifndef LS_MEASURE_H
#define LS_MEASURE_H

#include "cli/common/match_options.h"
#include "cli/schedule/tick_times.h"

/* `times` is initialised, for as many threads as the options say.
 *   errors  those of ls_match_options_apply(), ls_executor_create() and ls_world_advance() */
ls_status ls_measure(const ls_match_options *options, uint64_t ticks, ls_tick_times *times,
                     ls_error *error) LS_MUST_USE;

#endif
