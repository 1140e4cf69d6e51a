/* Compares the roots of a replay with the recorded ones, and finds the first tick that differs.
 * Recorded roots follow their frames at a distance, because a match is simulated after its frames
 * are written; the ring keeps the replay's roots until then. */
#ifndef LS_ROOT_RING_H
#define LS_ROOT_RING_H

#include <lockstep/recording.h>

/* Roots of the replay that are not compared yet. */
typedef struct ls_root_ring {
    uint64_t own_tick;      /* the tick of the replay's next root */
    uint64_t compared_tick; /* the next tick to compare */
    uint64_t values[LS_RECORDING_LAG_TICKS_MAX + 1];
} ls_root_ring;

typedef struct ls_root_difference {
    uint64_t tick; /* the roots are of the world before this tick, so the previous tick made the
                      difference */
    uint64_t expected;
    uint64_t found;
} ls_root_difference;

LS_API void ls_root_ring_init(ls_root_ring *ring, uint64_t first_tick);

/* Adds the root of the replay's world before the next tick. For each tick of a recording: push,
 * compare, then run the tick. At the end: push the last world's root, and compare the roots of
 * ls_recording_get_end().
 *   order   asserts free space, which there is if every tick of a recording is compared */
LS_API void ls_root_ring_push(ls_root_ring *ring, uint64_t root);

/* Compares recorded roots. At the first that differs it fills in `difference` and returns false;
 * later roots are not compared. Ticks missing in `roots` are not compared either: between two files
 * of a match a root may be missing. Asserts that ticks rise and that the replay's roots were
 * pushed. */
LS_API bool ls_root_ring_compare(ls_root_ring *ring, const ls_recording_roots *roots,
                                 ls_root_difference *difference) LS_MUST_USE;

#endif
