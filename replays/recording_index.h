/* The index of a recording: its content and offsets, found by one walk over the valid prefix. The
 * walk takes some 10 ms per hour of match, so the file needs no stored index. Private to this
 * folder. */
#ifndef LS_RECORDING_INDEX_H
#define LS_RECORDING_INDEX_H

#include "replays/cursor.h"

typedef struct ls_recording_index {
    ls_recording_end end;
    ls_cursor_place last;   /* the place after the valid prefix */
    ls_state_memory states; /* state inputs at that place */
    ls_recording_keyframe *keyframes;
    ls_recording_columns *columns;
    ls_cursor_place *places; /* places before the first frame and before each fresh one */
    uint64_t *roots;         /* from first_tick on */
    size_t *signatures;      /* offsets of signature records */
    uint32_t keyframe_count, columns_count, place_count, root_count, signature_count;
    const uint8_t *evidence; /* the first evidence; NULL: none */
    size_t evidence_bytes;
    bool has_link;
    ls_recording_link link;
} ls_recording_index;

/* Fills the index; the cursor must be before the first record, and is moved to the end. */
void ls_recording_index_make(ls_recording_index *index, ls_cursor *cursor);
void ls_recording_index_reset(ls_recording_index *index);

/* The last place at or before the frame of `tick`; asserts that the valid prefix has the tick. */
const ls_cursor_place *ls_recording_index_place(const ls_recording_index *index, uint64_t tick,
                                                uint64_t first_tick);

#endif
