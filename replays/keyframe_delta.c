#include "replays/keyframe_delta.h"

#include "replays/keyframe.h"

static bool has_world(ls_keyframe_delta *unfold)
{
    if (!unfold->world && !unfold->has_failed)
        unfold->has_failed = !unfold->program || ls_world_create(unfold->program, unfold->match,
                                                                 &unfold->world, NULL) != LS_OK;
    return !unfold->has_failed;
}

bool ls_keyframe_delta_apply(ls_keyframe_delta *unfold, const ls_recording_keyframe *base,
                             const ls_recording_keyframe *keyframe, ls_recording_keyframe *full)
{
    uint8_t *data = NULL;
    size_t bytes = 0;
    if (!has_world(unfold) ||
        ls_keyframe_decode(unfold->world, NULL, base->data, base->bytes, NULL) != LS_OK)
        return false;
    ls_snapshot *from = ls_world_snapshot(unfold->world);
    if (ls_keyframe_decode(unfold->world, from, keyframe->data, keyframe->bytes, NULL) == LS_OK &&
        ls_world_tick(unfold->world) == keyframe->tick) {
        ls_snapshot *state = ls_world_snapshot(unfold->world);
        ls_keyframe_encode(state, NULL, &data, &bytes);
        ls_snapshot_destroy(state);
    }
    ls_snapshot_destroy(from);
    if (bytes > LS_KEYFRAME_BYTES_MAX) {
        ls_free(data);
        data = NULL;
    }
    *full = *keyframe;
    full->base_tick = keyframe->tick;
    full->data = data;
    full->bytes = bytes;
    return data != NULL;
}

void ls_keyframe_delta_reset(ls_keyframe_delta *unfold)
{
    ls_world_destroy(unfold->world);
    unfold->world = NULL;
}
