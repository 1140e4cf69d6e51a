/* The files of a match as one to be played: those that follow each other without a gap.
 * Private to this folder. */
#ifndef LS_SEQUENCE_H
#define LS_SEQUENCE_H

#include "replays/history.h"

typedef struct ls_sequence {
    ls_history *history;
    uint32_t count;                   /* of its files */
    uint64_t first_tick, end_tick;    /* there is a state before each of these, the last included */
    ls_recording_keyframe *keyframes; /* of all files */
    uint32_t keyframe_count;
    uint32_t file;      /* that was read last */
    uint64_t next_tick; /* whose frame comes next there */
} ls_sequence;

/* Takes the history over.      owns  ls_sequence_reset() */
void ls_sequence_init(ls_sequence *sequence, ls_history *history);
void ls_sequence_reset(ls_sequence *sequence);

/* The frame of a tick from first_tick to end_tick - 1, asserted; until the next call. */
const ls_frame *ls_sequence_frame(ls_sequence *sequence, uint64_t tick);
/* The root of the world before a tick up to end_tick; false when no file says it. */
bool ls_sequence_root(const ls_sequence *sequence, uint64_t tick, uint64_t *root) LS_MUST_USE;
/* The file behind the gap that ends the sequence; NULL when there is none. */
const char *ls_sequence_rest(const ls_sequence *sequence, uint64_t *first_tick);

#endif
