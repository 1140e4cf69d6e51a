/* The files of a match up to the first gap, in the order of playing. Private to this folder. */
#ifndef LS_SERIES_ORDER_H
#define LS_SERIES_ORDER_H

#include <lockstep/recording_series.h>

typedef struct ls_series_order {
    ls_series *history;
    uint32_t count;                   /* of its files */
    uint64_t first_tick, end_tick;    /* there is a state before each of these, the last included */
    ls_recording_keyframe *keyframes; /* of all files */
    uint32_t keyframe_count;
    uint32_t file;      /* that was read last */
    uint64_t next_tick; /* of the next frame there */
} ls_series_order;

/* Takes the history over.      owns  ls_series_order_reset() */
void ls_series_order_init(ls_series_order *sequence, ls_series *history);
void ls_series_order_reset(ls_series_order *sequence);

/* The frame of a tick from first_tick to end_tick - 1, asserted; until the next call. */
const ls_frame *ls_series_order_frame(ls_series_order *sequence, uint64_t tick);
/* The root of the world before a tick up to end_tick; false when no file has it. */
bool ls_series_order_root(const ls_series_order *sequence, uint64_t tick,
                          uint64_t *root) LS_MUST_USE;
/* The file after the gap that ends the sequence; NULL when there is none. */
const char *ls_series_order_rest(const ls_series_order *sequence, uint64_t *first_tick);

#endif
