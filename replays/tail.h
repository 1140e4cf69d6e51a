/* The bytes after the valid prefix of a recording: whether a dying writer left them or they were
 * changed later, and which whole records are in them. Private to this folder. */
#ifndef LS_TAIL_H
#define LS_TAIL_H

#include "replays/record.h"
#include <lockstep/recording_tick.h>

typedef struct ls_tail {
    ls_reader file;
    const ls_recording_header *header;
    size_t offset;
    uint64_t next_tick; /* of the frame that would come there */
} ls_tail;

/* Classifies them, given that no valid record begins there: OPEN (no bytes), ZEROS, TORN or
 * DAMAGED. Bounded work for any bytes. */
ls_recording_end_kind ls_tail_classify(const ls_tail *tail);

/* A search through them from `at` on. */
typedef struct ls_tail_search {
    size_t at;
    size_t hashed_bytes;
} ls_tail_search;
/* Finds the next record of a known type that verifies, and moves past it; false when there is none,
 * or too much would have to be hashed. */
bool ls_tail_find(const ls_tail *tail, ls_tail_search *search, ls_record *record) LS_MUST_USE;
/* The number of keyframes in these bytes that are whole and have a whole full keyframe to build on,
 * which may also be the last one before the bytes, of `full_tick`. Bounded work. */
uint32_t ls_tail_keyframes(const ls_tail *tail, uint64_t full_tick);

#endif
