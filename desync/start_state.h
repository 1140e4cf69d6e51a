/* Creates a world from the last state that a recording holds at or before a tick: the state of a
 * keyframe, or the state with which the match starts. For callers that run the ticks from there in
 * variants of their own; to read states in order, use include/lockstep/replay_player.h. */
#ifndef LS_START_STATE_H
#define LS_START_STATE_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* Creates a world in the last known state at or before `tick`; ls_recording_next() then gives the
 * next frame of that world. A keyframe that does not lead to the recorded root of its tick is
 * skipped.
 *   errors  INCOMPATIBLE: the match is of another build, or the recording begins in the middle of
 *           the match with no state that this program reads
 *   owns    ls_world_destroy() by the caller; `*world` is NULL after an error */
ls_status ls_start_state_make(ls_recording *recording, const ls_program *program, uint64_t tick,
                              ls_world **world, ls_error *error) LS_MUST_USE;

/* Copies the state of `from` into a new world of another build, which has the same components and
 * lanes (asserted).
 *   errors  INCOMPATIBLE: the other build refuses the match, or computes other match data
 *   owns    ls_world_destroy() by the caller; `*world` is NULL after an error */
ls_status ls_start_state_copy(ls_world *from, const ls_program *program, ls_world **world,
                              ls_error *error) LS_MUST_USE;

#endif
