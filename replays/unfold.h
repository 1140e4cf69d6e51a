/* Makes a full keyframe of one that only says what changed since another. It takes the simulation's
 * program, whose columns the bytes are of. Private to this folder. */
#ifndef LS_UNFOLD_H
#define LS_UNFOLD_H

#include "core/world.h"
#include "replays/recording.h"

typedef struct ls_unfold {
    const ls_program *program; /* NULL: nothing can be made full */
    const ls_match *match;
    ls_world *world; /* made when it is needed first */
    bool has_failed; /* there is no such world */
} ls_unfold;

/* False when the bytes are no states of this program and match that belong together. The root of
 * the state is that of the keyframe.
 *   shape   `base` is the full one of keyframe->base_tick
 *   owns    ls_free(full->data) by the caller */
bool ls_unfold_keyframe(ls_unfold *unfold, const ls_recording_keyframe *base,
                        const ls_recording_keyframe *keyframe,
                        ls_recording_keyframe *full) LS_MUST_USE;
void ls_unfold_reset(ls_unfold *unfold);

#endif
