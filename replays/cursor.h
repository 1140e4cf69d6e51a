/* The cursor: reads the records of a recording one by one and checks each against the rules of the
 * format. No other code decides where the valid prefix ends. Private to this folder. */
#ifndef LS_CURSOR_H
#define LS_CURSOR_H

#include "replays/record.h"
#include "replays/state_memory.h"
#include <lockstep/recording_tick.h>

/* A position between two records. */
typedef struct ls_cursor_place {
    ls_recording_end end;                 /* valid_bytes is the offset of the next record */
    uint64_t next_keyframe, next_columns; /* lowest valid ticks of the next such records */
    uint64_t full_tick;                   /* tick of the last full keyframe; UINT64_MAX: none */
} ls_cursor_place;

typedef struct ls_cursor {
    ls_reader file;
    const ls_recording_header *header;
    ls_cursor_place place;
    ls_state_memory states; /* state inputs of the previous frame */
    ls_recording_tick tick; /* the last frame read */
    ls_recording_keyframe keyframe;
    ls_recording_columns columns;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    /* Roots read since the last frame; they belong to the next frame, or to the end. */
    uint32_t root_count;
    uint64_t roots[LS_RECORDING_LAG_TICKS_MAX + 1];
} ls_cursor;

/* Starts before the first record, at `offset`. Header and file bytes must outlive the cursor. */
void ls_cursor_init(ls_cursor *cursor, const ls_reader *file, size_t offset,
                    const ls_recording_header *header);
/* Moves to a place before a frame that refers to no earlier state: the first frame, or one at a
 * multiple of LS_RECORDING_FRESH_TICKS. */
void ls_cursor_move(ls_cursor *cursor, const ls_cursor_place *place);

/* The tick of the next frame. */
uint64_t ls_cursor_tick(const ls_cursor *cursor);

/* Reads one record and moves past it; false where the valid prefix ends. end.kind then gives the
 * reason, or is still RUNNING if only ls_tail_classify() can tell. */
bool ls_cursor_step(ls_cursor *cursor, ls_record *record) LS_MUST_USE;

/* The roots read since the last frame. */
ls_recording_roots ls_cursor_roots(const ls_cursor *cursor);

#endif
