/* The new recording that `replay cut` and `replay rerun` write from an old one. It is not signed.
 */
#ifndef LS_REPLAY_OUTPUT_H
#define LS_REPLAY_OUTPUT_H

#include "cli/replay/replay_states.h"
#include <lockstep/recorder.h>

/* The caller zeroes it and sets `path`. */
typedef struct ls_replay_output {
    const char *path;
    ls_recorder *recorder;
    ls_replay_states states;
    uint32_t columns; /* index of the next column hashes of the old recording */
    uint64_t first;   /* the first tick */
} ls_replay_output;

/* Refuses a path that exists.
 *   errors  USAGE */
ls_status ls_replay_output_check(const char *path, ls_error *error) LS_MUST_USE;
/* Returns the header of the old recording, changed for a new recording of its match. */
ls_recording_header ls_replay_output_header(const ls_recording_header *old);
/* Creates the file. A recording that does not begin at tick 0 begins with a keyframe of `world`.
 *   errors  LIMIT: the state is too large for a keyframe; those of ls_recorder_begin() */
ls_status ls_replay_output_begin(ls_replay_output *self, const ls_recording_header *header,
                                 ls_world *world, ls_error *error) LS_MUST_USE;
/* Adds a keyframe of the world, unless its state is too large for one. */
ls_status ls_replay_output_add_keyframe(ls_replay_output *self, ls_world *world,
                                        ls_error *error) LS_MUST_USE;
/* Returns the column hashes that the old recording holds before this tick, or NULL. `tick` never
 * falls. */
const ls_recording_columns *ls_replay_output_columns(ls_replay_output *self,
                                                     const ls_recording *old, uint64_t tick);
/* Ends the recording and prints a line about it that begins with `word`. */
ls_status ls_replay_output_finish(ls_replay_output *self, const char *word,
                                  ls_closing_reason reason, ls_error *error) LS_MUST_USE;
/* Frees everything. After an error, a file that begin() created is removed. Called before the world
 * is destroyed. */
void ls_replay_output_close(ls_replay_output *self, ls_status status);

#endif
