/* Keyframes for a new recording, made from a world. Tracks which seats are taken before each, and
 * the full keyframe that later ones build on. */
#ifndef LS_REPLAY_STATES_H
#define LS_REPLAY_STATES_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* Zeroed, it is before the first tick of a match. */
typedef struct ls_replay_states {
    uint64_t players; /* the seats that are taken before the next tick */
    bool is_paused;
    ls_snapshot *full; /* of the last whole keyframe, or NULL */
    uint32_t count;
} ls_replay_states;

/* Begins with the seats that are taken before the first tick of the recording: its first keyframe
 * has them if it begins in the middle of a match. */
void ls_replay_states_begin(ls_replay_states *states, const ls_recording *recording);
/* Behind the tick of this frame. */
void ls_replay_states_follow(ls_replay_states *states, const ls_frame *frame);
/* The next keyframe; NULL in `data` when the state is too large for one.
 *   owns  ls_free(data) by the caller */
ls_recording_keyframe ls_replay_states_make(ls_replay_states *states, ls_world *world) LS_MUST_USE;
/* Before the world is destroyed. */
void ls_replay_states_reset(ls_replay_states *states);

#endif
