/* Expands a delta keyframe to a full one. Needs the simulation's program, which defines the columns
 * of the bytes. Private to this folder. */
#ifndef LS_KEYFRAME_DELTA_H
#define LS_KEYFRAME_DELTA_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

typedef struct ls_keyframe_delta {
    const ls_program *program; /* NULL: no keyframe can be expanded */
    const ls_match *match;
    ls_world *world; /* scratch, created at first use */
    bool has_failed; /* the world cannot be created */
} ls_keyframe_delta;

/* Expands `keyframe`. False when its bytes are not a keyframe of this program and match that fits
 * its base. The state's root equals the claimed root.
 *   shape   `base` is the full keyframe of keyframe->base_tick
 *   owns    ls_free(full->data) by the caller */
bool ls_keyframe_delta_apply(ls_keyframe_delta *unfold, const ls_recording_keyframe *base,
                             const ls_recording_keyframe *keyframe,
                             ls_recording_keyframe *full) LS_MUST_USE;
void ls_keyframe_delta_reset(ls_keyframe_delta *unfold);

#endif
