/* The content of a recording and its offsets, found by one walk over the valid prefix. The walk
 * takes some ten milliseconds for an hour of match, so the file has no index. Private to this
 * folder. */
#ifndef LS_RECORDING_INDEX_H
#define LS_RECORDING_INDEX_H

#include "replays/cursor.h"

typedef struct ls_recording_index {
    ls_recording_end end;
    ls_cursor_place last;   /* after the valid prefix */
    ls_state_memory states; /* there */
    ls_recording_keyframe *keyframes;
    ls_recording_columns *columns;
    ls_cursor_place *places; /* before the first frame and each fresh one */
    uint64_t *roots;         /* from the first tick's on */
    size_t *signatures;      /* offsets of their records */
    uint32_t keyframe_count, columns_count, place_count, root_count, signature_count;
    const uint8_t *evidence; /* the first; NULL: none */
    size_t evidence_bytes;
    bool has_link;
    ls_recording_link link;
} ls_recording_index;

/* Walks from the cursor, which is before the first record, to the end. */
void ls_recording_index_make(ls_recording_index *index, ls_cursor *cursor);
void ls_recording_index_reset(ls_recording_index *index);

/* The last place at or before the frame of `tick`; asserts that the prefix has it. */
const ls_cursor_place *ls_recording_index_place(const ls_recording_index *index, uint64_t tick,
                                                uint64_t first_tick);

#endif
