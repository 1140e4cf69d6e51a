/* The files of a match up to the first gap, in playing order. Private to this folder. */
#ifndef LS_SERIES_ORDER_H
#define LS_SERIES_ORDER_H

#include <lockstep/recording_series.h>

typedef struct ls_series_order {
    ls_series *series;
    uint32_t count;                /* number of files before the gap */
    uint64_t first_tick, end_tick; /* states exist before each of these ticks, end_tick included */
    ls_recording_keyframe *keyframes; /* of all files */
    uint32_t keyframe_count;
    uint32_t file;      /* index of the file read last */
    uint64_t next_tick; /* tick of the next frame in that file */
} ls_series_order;

/* Fills in the struct, which then owns `history`.
 *   owns  ls_series_order_reset() by the caller */
void ls_series_order_init(ls_series_order *sequence, ls_series *series);
void ls_series_order_reset(ls_series_order *sequence);

/* The frame of a tick from first_tick to end_tick - 1 (asserted); valid until the next call. */
const ls_frame *ls_series_order_frame(ls_series_order *sequence, uint64_t tick);
/* The root of the world before a tick up to end_tick; false when no file has it. */
bool ls_series_order_root(const ls_series_order *sequence, uint64_t tick,
                          uint64_t *root) LS_MUST_USE;
/* The file after the gap at which the sequence ends; NULL when there is no gap. */
const char *ls_series_order_rest(const ls_series_order *sequence, uint64_t *first_tick);

#endif
