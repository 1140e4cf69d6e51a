/* What a recording holds and where, found by one walk over its valid prefix. It is made when the
 * file is opened, some ten milliseconds for an hour; so no index lies in the file.
 * Private to this folder. */
#ifndef LS_RECORDING_INDEX_H
#define LS_RECORDING_INDEX_H

#include "replays/cursor.h"

typedef struct ls_recording_index {
    ls_recording_end end;
    ls_cursor_place last;   /* behind the valid prefix */
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

/* Walks from where the cursor stands, the first record, to the end. */
void ls_recording_index_make(ls_recording_index *index, ls_cursor *cursor);
void ls_recording_index_reset(ls_recording_index *index);

/* The last place that is not behind the frame of `tick`; asserts that the prefix has one. */
const ls_cursor_place *ls_recording_index_place(const ls_recording_index *index, uint64_t tick,
                                                uint64_t first_tick);

#endif
