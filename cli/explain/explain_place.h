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
    const ls_explain_row *row;
    ls_explain_case the;
    ls_rerun *rerun;
    const ls_frame *frame;
    /* The module's static variables before the first tick, and before the tick in question; NULL
     * when the simulation is built in. */
    ls_statics *fresh, *reached;
    const char *side; /* a way sets it to the name of the second side; NULL: that of the row */
} ls_explain_place;

/* The serial way of running its tick. */
static inline ls_run_variant ls_explain_place_variant(const ls_explain_place *place)
{
    return (ls_run_variant){.world = ls_rerun_world(place->rerun), .statics = place->reached};
}

/* How the tick is searched, once the place is reached.
 *   errors  NOT_FOUND: nothing differs
 *   owns    the caller resets the difference, not after an error */
typedef struct ls_explain_way {
    ls_status (*find)(ls_explain_place *place, void *argument, ls_first_difference *difference,
                      ls_error *error);
    void *argument;
} ls_explain_way;

/* Replays from the row's start (the->from) to the tick, so that hidden state is as it was there,
 * and searches it; `text` becomes that of ls_result_pack(). The simulation's static variables are
 * then as they were before the first tick. errors  those of reruns and of `way`; NOT_FOUND: the
 * file has no such tick */
ls_status ls_explain_place_search(const ls_explain_case *the, const ls_explain_row *row,
                                  uint64_t tick, const ls_explain_way *way, ls_builder *text,
                                  ls_error *error) LS_MUST_USE;

#endif
