/* Keyframes: states of a match packed into a recording, so that a reader need not simulate from the
 * start. Planes (core/state/planes.h) in one zstd frame. Also decides how often to make one.
 *   source  docs/replay-format.md */
#ifndef LS_KEYFRAME_H
#define LS_KEYFRAME_H

#include <lockstep/world.h>

/* One keyframe of this many is full, the others have the changes since that one. */
#define LS_KEYFRAMES_PER_FULL 16

/* Packs a snapshot: whole when `base` is NULL, otherwise the changes since `base`, a snapshot of
 * the same world that was packed whole. `*bytes` is NULL when the state is over
 * LS_SNAPSHOT_BYTES_MAX: such a match has no keyframes.
 *   owns    ls_free(*bytes) by the caller      thread  any, while both snapshots live */
void ls_keyframe_encode(const ls_snapshot *snapshot, const ls_snapshot *base, uint8_t **bytes,
                        size_t *count);

/* Replaces the world's state by that of a keyframe; the bytes may be hostile.
 *   errors  CORRUPT, LIMIT, INCOMPATIBLE (another simulation, match or base); the world is then
 *           unchanged
 *   thread  the world's */
ls_status ls_keyframe_decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                             size_t count, ls_error *error) LS_MUST_USE;
/* The same for a state of another build of the simulation, with equal components and lanes. Only a
 * known root can prove that the result is right. */
ls_status ls_keyframe_adopt(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                            size_t count, ls_error *error) LS_MUST_USE;
/* The root that a keyframe claims for its state; unproven until the state is unpacked. False when
 * the bytes are no keyframe. */
bool ls_keyframe_root(const uint8_t *bytes, size_t count, uint64_t *root) LS_MUST_USE;

/* Means measured while the match runs. 0: not known yet. */
typedef struct ls_keyframe_costs {
    uint64_t tick_ns;   /* to simulate a tick again */
    uint64_t decode_ns; /* to unpack a full keyframe and one that builds on it */
    uint32_t bytes;     /* of a keyframe */
    uint32_t tick_rate; /* ticks a second, not 0 */
} ls_keyframe_costs;

typedef struct ls_keyframe_budget {
    uint64_t seek_ns;          /* the longest seek without a cache */
    uint32_t bytes_per_minute; /* of keyframes; if both limits cannot be met, this one is */
} ls_keyframe_budget;

/* A replayed tick takes up to 1.5 times as long as a tick of a server with warm caches. A seek
 * therefore takes some 27 ms at worst and half of that on average. 960 KiB leave room for the
 * frames in 1 MiB a minute. */
#define LS_KEYFRAME_BUDGET_DEFAULT                                                                 \
    ((ls_keyframe_budget){.seek_ns = 18000000, .bytes_per_minute = 960 << 10})

enum {
    LS_KEYFRAME_INTERVAL_MIN = 20, /* more often is a cost that no reader would notice */
    LS_KEYFRAME_INTERVAL_MAX = 4096,
};

/* Ticks from one keyframe to the next. Pure: the writer asks again after each keyframe. */
uint32_t ls_keyframe_interval(const ls_keyframe_costs *costs, const ls_keyframe_budget *budget);

#endif
