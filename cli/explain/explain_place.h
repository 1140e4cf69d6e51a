/* Prepares the search in a tick: runs the match serially up to it, so that the simulation collects
 * its hidden state, and reads the tick's frame. */
#ifndef LS_EXPLAIN_PLACE_H
#define LS_EXPLAIN_PLACE_H

#include "cli/explain/explain_case.h"
#include "desync/diagnosis.h"
#include "desync/first_difference.h"
#include "desync/rerun.h"
#include "desync/statics.h"

typedef struct ls_explain_place {
    const ls_explain_row *row;
    ls_explain_case subject;
    ls_rerun *rerun;
    const ls_frame *frame;
    /* The module's static variables before the first tick and before the searched tick; NULL when
     * the simulation is built in. */
    ls_statics *fresh, *reached;
    /* The name of the second side, set by a search; NULL: the row's name. */
    const char *side;
} ls_explain_place;

/* Returns the variant that runs the tick serially. */
static inline ls_run_variant ls_explain_place_variant(const ls_explain_place *place)
{
    return (ls_run_variant){.world = ls_rerun_world(place->rerun), .statics = place->reached};
}

/* A way of searching the tick: `find` is called when the rerun is before the tick.
 *   errors  NOT_FOUND: nothing differs
 *   owns    the caller resets the difference, but not after an error */
typedef struct ls_explain_search {
    ls_status (*find)(ls_explain_place *place, void *argument, ls_first_difference *difference,
                      ls_error *error);
    void *argument;
} ls_explain_search;

/* Replays from the row's first tick (subject->from) to `tick`, so that the simulation has the same
 * hidden state as in the row's run. Then searches the tick in the given way. `text` becomes that of
 * ls_result_pack(). Afterwards the simulation's static variables are as they were before the first
 * tick.
 *   errors  those of reruns and of `search`; NOT_FOUND: the file has no such tick */
ls_status ls_explain_place_search(const ls_explain_case *subject, const ls_explain_row *row,
                                  uint64_t tick, const ls_explain_search *search, ls_builder *text,
                                  ls_error *error) LS_MUST_USE;

#endif
