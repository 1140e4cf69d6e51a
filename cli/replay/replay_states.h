/* Makes keyframes for a new recording from states of a world. Tracks the taken seats before each
 * keyframe, and the full keyframe that later ones are deltas of. */
#ifndef LS_REPLAY_STATES_H
#define LS_REPLAY_STATES_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* A zeroed value is before the first tick of a match. */
typedef struct ls_replay_states {
    uint64_t players; /* bits of the seats that are taken before the next tick */
    bool is_paused;
    ls_snapshot *full; /* the state of the last full keyframe, or NULL */
    uint32_t count;
} ls_replay_states;

/* Begins with the seats that are taken before the first tick of the recording. If the recording
 * begins in the middle of a match, its first keyframe has them. */
void ls_replay_states_begin(ls_replay_states *states, const ls_recording *recording);
/* Updates seats and pause by the inputs of this frame. */
void ls_replay_states_follow(ls_replay_states *states, const ls_frame *frame);
/* Makes the next keyframe; `data` is NULL if the state is too large for one.
 *   owns  ls_free(data) by the caller */
ls_recording_keyframe ls_replay_states_make(ls_replay_states *states, ls_world *world) LS_MUST_USE;
/* Frees the snapshot; called before the world is destroyed. */
void ls_replay_states_reset(ls_replay_states *states);

#endif
