/* Finds the difference between two runs of one match after the tick in which they first differ: the
 * component, the cell and both values, as texts, from the column hashes and states in the files.
 * The tick is not run again, so the system is unknown; the systems that may write the component are
 * named. */
#ifndef LS_RECORDED_DIFF_H
#define LS_RECORDED_DIFF_H

#include "desync/divergence.h"
#include "desync/match_run.h"

/* `after` is the first tick before which the states differ. `expected` is from the first run, which
 * is a recorded one, `found` from the second. Only known members of the divergence are set.
 *   errors  asserts programs of one schema and one list of lanes */
void ls_recorded_diff_find(ls_match_run runs[2], uint64_t after, ls_divergence *divergence);

#endif
