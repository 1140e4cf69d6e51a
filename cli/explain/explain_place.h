/* Prepares the search in a tick: a serial rerun up to it, the hidden state that the simulation
 * collected on the way, and the tick's frame. */
#ifndef LS_EXPLAIN_PLACE_H
#define LS_EXPLAIN_PLACE_H

#include "cli/explain/explain_case.h"
#include "desync/diagnosis.h"
#include "desync/first_difference.h"
#include "desync/rerun.h"
#include "desync/statics.h"

typedef struct ls_explain_place {
    ls_explain_case the; /* opened again: a place of its own in the file */
    ls_rerun *rerun;
    ls_tick_source ticks;
    uint8_t *start;
    const ls_frame *frame;
    ls_source_tick next;
    /* The module's static variables before the first tick, and before the tick in question; NULL
     * when the simulation is built in. */
    ls_statics *fresh, *reached;
} ls_explain_place;

/* Replays to `tick` from `from`, where the reruns began, so that hidden state is as it was there.
 *   errors  those of reruns; NOT_FOUND: the file has no such tick
 *   owns    ls_explain_place_leave(), also after an error; the simulation's static variables are
 *           then as they were before the first tick */
ls_status ls_explain_place_go(const ls_explain_config *config, uint64_t from, uint64_t tick,
                              ls_explain_place *place, ls_error *error) LS_MUST_USE;
void ls_explain_place_leave(ls_explain_place *place);

/* The serial way of running its tick. */
static inline ls_run_variant ls_explain_place_variant(const ls_explain_place *place)
{
    return (ls_run_variant){.world = ls_rerun_world(place->rerun), .statics = place->reached};
}

/* The findings of a row's tick, as ls_result_pack() gives them. `other` names the second side;
 * NULL: it has the row's name. */
void ls_explain_place_tell(const ls_explain_place *place, const ls_first_difference *difference,
                           const ls_explain_row *row, const char *other, ls_builder *text);

#endif
