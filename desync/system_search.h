/* Finds the system of a tick that is to blame. The tick is run in two variants from one state. For
 * each system, its declared inputs and its results in both runs are compared; its place in the
 * order does not matter.
 *   source  docs/design.md section 8 */
#ifndef LS_SYSTEM_SEARCH_H
#define LS_SYSTEM_SEARCH_H

#include "desync/run_variant.h"
#include "desync/suspect.h"

/* Fills in the suspect. Both worlds are in the state before frame->tick, also afterwards.
 *   errors  LS_ERROR_INCOMPATIBLE when the cells of one program are not those of the other;
 *           LS_ERROR_USAGE for one world twice, a frame of another tick; LS_ERROR_LIMIT for more
 *           than LS_MOMENTS_MAX runs of systems; those of ls_executor_create()
 *   owns    ls_suspect_reset() by the caller, not after an error; names live as long as the
 *           programs
 *   thread  main, and no other thread uses a world that shares pages with these */
ls_status ls_desync_find_system(const ls_run_variant *a, const ls_run_variant *b,
                                const ls_frame *frame, ls_suspect *suspect,
                                ls_error *error) LS_MUST_USE;

#endif
