#include "cli/replay/replay_states.h"

#include "replays/keyframe.h"

void ls_replay_states_begin(ls_replay_states *states, const ls_recording *recording)
{
    const ls_recording_keyframe *list;
    if (!ls_recording_get_header(recording)->first_tick ||
        !ls_recording_keyframes(recording, &list))
        return;
    states->players = list[0].players;
    states->is_paused = list[0].is_paused;
}

void ls_replay_states_follow(ls_replay_states *states, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind == LS_JOIN)
            states->players |= UINT64_C(1) << input->player;
        else if (input->kind == LS_LEAVE)
            states->players &= ~(UINT64_C(1) << input->player);
        else if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
            states->is_paused = input->kind == LS_PAUSE;
    }
}

ls_recording_keyframe ls_replay_states_make(ls_replay_states *states, ls_world *world)
{
    ls_recording_keyframe keyframe = {
        .tick = ls_world_tick(world), .players = states->players, .is_paused = states->is_paused};
    bool is_full = states->count % LS_KEYFRAMES_PER_FULL == 0;
    uint8_t *data;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_keyframe_encode(snapshot, is_full ? NULL : states->full, &data, &keyframe.bytes);
    keyframe.data = data;
    if (is_full) {
        ls_snapshot_destroy(states->full);
        states->full = snapshot;
    } else {
        ls_snapshot_destroy(snapshot);
    }
    keyframe.base_tick = ls_snapshot_tick(states->full);
    states->count++;
    return keyframe;
}

void ls_replay_states_reset(ls_replay_states *states)
{
    ls_snapshot_destroy(states->full);
    *states = (ls_replay_states){0};
}
