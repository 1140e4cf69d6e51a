/* Compares the roots of a replay with the recorded ones and finds the first tick that differs.
 * Recorded roots come later than their frames, because a match is simulated after its frames are
 * written. */
#ifndef LS_ROOT_RING_H
#define LS_ROOT_RING_H

#include <lockstep/recording.h>

/* The replay's own roots that were not compared yet. */
typedef struct ls_root_ring {
    uint64_t own_tick;      /* the tick of the replay's next root */
    uint64_t compared_tick; /* the tick compared next */
    uint64_t values[LS_RECORDING_LAG_TICKS_MAX + 1];
} ls_root_ring;

typedef struct ls_root_difference {
    uint64_t tick; /* the worlds differ before it, so the tick before it made the difference */
    uint64_t expected;
    uint64_t found;
} ls_root_difference;

void ls_root_ring_init(ls_root_ring *ring, uint64_t first_tick);

/* Adds the replay's root of the next tick. For each tick of a recording: push, compare, then
 * advance. At the end of the recording: push the last world's root, and compare the roots of
 * ls_recording_get_end().
 *   order   asserts space, which there is when every tick of a recording is compared */
void ls_root_ring_push(ls_root_ring *ring, uint64_t root);

/* False at the first root that differs, which is named; nothing more is then compared. Where two
 * files of a match meet, no file may have the root of a tick: ticks left out of `roots` are not
 * compared. Asserts that ticks rise and that their own roots were pushed. */
bool ls_root_ring_compare(ls_root_ring *ring, const ls_recording_roots *roots,
                          ls_root_difference *difference) LS_MUST_USE;

#endif
