/* Keyframes: states of a match, packed into a recording so that a reader need not simulate from the
 * start. A keyframe is byte planes (core/state/planes.h) in one zstd frame. Also decides how often
 * a keyframe is made.
 *   source  docs/replay-format.md */
#ifndef LS_KEYFRAME_H
#define LS_KEYFRAME_H

#include <lockstep/world.h>

/* One in this many keyframes is full; the others have the changes since that one. */
#define LS_KEYFRAMES_PER_FULL 16

/* Packs a snapshot: whole when `base` is NULL, otherwise the changes since `base`, the snapshot of
 * the last full keyframe. `*bytes` is NULL when the state exceeds LS_SNAPSHOT_BYTES_MAX: such a
 * match has no keyframes.
 *   owns    ls_free(*bytes) by the caller
 *   thread  any, while both snapshots exist */
void ls_keyframe_encode(const ls_snapshot *snapshot, const ls_snapshot *base, uint8_t **bytes,
                        size_t *count);

/* Replaces the world's state by that of a keyframe; the bytes may be hostile. `base` is that of
 * ls_keyframe_encode().
 *   errors  CORRUPT, LIMIT, INCOMPATIBLE (another simulation, match or base); the world is then
 *           unchanged
 *   thread  the thread of the world */
ls_status ls_keyframe_decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                             size_t count, ls_error *error) LS_MUST_USE;
/* Like ls_keyframe_decode(), for a keyframe of another build with equal components and lanes. Only
 * a known root can prove the result. */
ls_status ls_keyframe_adopt(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                            size_t count, ls_error *error) LS_MUST_USE;
/* The root that a keyframe claims for its state; not proven until the state is unpacked. False when
 * the bytes are not a keyframe. */
bool ls_keyframe_root(const uint8_t *bytes, size_t count, uint64_t *root) LS_MUST_USE;

/* The costs that decide ls_keyframe_interval(). The server measures the costs while the match runs;
 * 0: not known yet. */
typedef struct ls_keyframe_costs {
    uint64_t tick_ns;   /* simulating one tick in a replay */
    uint64_t decode_ns; /* upper bound of unpacking a keyframe: what the last packing took */
    uint32_t bytes;     /* average size of a keyframe */
    uint32_t tick_rate; /* ticks a second, not 0 */
} ls_keyframe_costs;

typedef struct ls_keyframe_budget {
    uint64_t seek_ns;          /* the longest seek without a cache */
    uint32_t bytes_per_minute; /* of keyframes; has priority if both limits cannot be met */
} ls_keyframe_budget;

/* `seek_ns` counts ticks at the time that they take on the server, which has warm caches. A replay
 * needs up to 1.5 times as long for a tick, so a seek takes 27 ms at most, and 14 ms on average.
 * With 960 KiB of keyframes a minute, keyframes and frames together fit in 1 MiB. */
#define LS_KEYFRAME_BUDGET_DEFAULT                                                                 \
    ((ls_keyframe_budget){.seek_ns = 18000000, .bytes_per_minute = 960 << 10})

enum {
    LS_KEYFRAME_INTERVAL_MIN = 20, /* a shorter interval would not help any reader */
    LS_KEYFRAME_INTERVAL_MAX = 4096,
};

/* Returns the number of ticks from one keyframe to the next. The writer calls it after each
 * keyframe. A pure function. */
uint32_t ls_keyframe_interval(const ls_keyframe_costs *costs, const ls_keyframe_budget *budget);

#endif
