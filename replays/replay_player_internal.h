/* The struct of a player. Private to this folder. */
#ifndef LS_REPLAY_PLAYER_INTERNAL_H
#define LS_REPLAY_PLAYER_INTERNAL_H

#include "replays/seek_cache.h"
#include <lockstep/replay_player.h>

struct ls_replay_player {
    ls_replay_player_config config;
    ls_recording *recording;
    const ls_recording_keyframe *keyframes; /* the list of `recording` */
    uint32_t keyframe_count;
    uint64_t next_tick; /* tick of the frame that the recording reads next; UINT64_MAX: unknown */
    ls_status end_status;
    ls_error end_text;
    ls_world *world;  /* the state at the current tick */
    ls_world *filler; /* simulates ahead in idle time; created beside `world` at first use */
    ls_seek_cache cache;
    uint64_t filled_ticks; /* ticks simulated for the cache since the player last moved */
    ls_snapshot *start;    /* the state before the first tick */
    bool *is_unusable;     /* by keyframe: unusable, because its state has a wrong root */
    ls_snapshot *full;     /* the last full keyframe unpacked, or NULL */
    ls_root_difference divergence;
    bool has_diverged;
    ls_replay_player_stats stats;
    /* Called in a seek; NULL: none. */
    void (*progress)(void *context, uint64_t tick, uint64_t target);
    void *progress_context;
};

#endif
