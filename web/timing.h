/* The schedule of a simulation as a picture, with the time that each system takes in this browser.
 * The times come from ticks of the recording that are simulated again with a trace. */
#ifndef LS_WEB_TIMING_H
#define LS_WEB_TIMING_H

#include "core/base/builder.h"
#include <lockstep/replay_player.h>

typedef struct ls_web_timing ls_web_timing;

/*   errors  those of ls_trace_create() and ls_executor_create()
 *   owns    never freed, as the module's other memory */
ls_status ls_web_timing_create(const ls_program *program, ls_web_timing **timing,
                               ls_error *error) LS_MUST_USE;
/* The executor that a player to be measured runs with. */
ls_executor *ls_web_timing_executor(ls_web_timing *timing);
/* Simulates up to `ticks` ticks before `tick` again and adds their times; where `tick` is before
 * the last one or far after it, the sums begin anew. At the recording's start it takes the first
 * ticks; a tick that fails ends the measurement. The player's tick changes. */
void ls_web_timing_measure(ls_web_timing *timing, ls_replay_player *player, uint64_t tick,
                           uint32_t ticks);
/* Adds members to a JSON object: `ticks` and `tickNs` of all that was measured lately, `systems` as
 * nanoseconds of each system in a tick in the order of the picture, and `svg`. */
void ls_web_timing_print(ls_web_timing *timing, ls_builder *text);

#endif
