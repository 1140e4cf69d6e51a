/* Steps over the records of a recording and checks each against the rules of the format: the only
 * code that decides where the valid prefix ends. Private to this folder. */
#ifndef LS_CURSOR_H
#define LS_CURSOR_H

#include "replays/record.h"
#include "replays/state_memory.h"
#include <lockstep/recording_tick.h>

/* A position between two records. */
typedef struct ls_cursor_place {
    ls_recording_end end;                 /* valid_bytes is the offset of the next record */
    uint64_t next_keyframe, next_columns; /* the lowest ticks that these may have */
    uint64_t full_tick;                   /* of the last full keyframe; UINT64_MAX: none */
} ls_cursor_place;

typedef struct ls_cursor {
    ls_reader file;
    const ls_recording_header *header;
    ls_cursor_place place;
    ls_state_memory states; /* of the frame before */
    ls_recording_tick tick; /* the frame that was read last */
    ls_recording_keyframe keyframe;
    ls_recording_columns columns;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    /* Read since the frame that was read last: the next one's, or the end's. */
    uint32_t root_count;
    uint64_t roots[LS_RECORDING_LAG_TICKS_MAX + 1];
} ls_cursor;

/* Starts before the first record, at `offset`. Header and bytes outlive the cursor. */
void ls_cursor_init(ls_cursor *cursor, const ls_reader *file, size_t offset,
                    const ls_recording_header *header);
/* Back to a place before a frame that repeats no state: the first one, or a fresh one. */
void ls_cursor_move(ls_cursor *cursor, const ls_cursor_place *place);

/* The tick of the next frame. */
uint64_t ls_cursor_tick(const ls_cursor *cursor);

/* Reads one record and moves past it; false where the valid prefix ends. end.kind then says why, or
 * is still RUNNING where only ls_tail_classify() can decide it. */
bool ls_cursor_step(ls_cursor *cursor, ls_record *record) LS_MUST_USE;

/* The roots that were read since the last frame. */
ls_recording_roots ls_cursor_roots(const ls_cursor *cursor);

#endif
