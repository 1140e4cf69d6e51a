/* The tail: the bytes after the valid prefix of a recording. Decides whether a dying writer left
 * them or they were changed later, and finds whole records in them. Private to this folder. */
#ifndef LS_TAIL_H
#define LS_TAIL_H

#include "replays/record.h"
#include <lockstep/recording_tick.h>

typedef struct ls_tail {
    ls_reader file;
    const ls_recording_header *header;
    size_t offset;
    uint64_t next_tick; /* tick of the next frame at `offset` */
} ls_tail;

/* Classifies the tail, in which no valid record begins at `offset`: OPEN (no bytes), ZEROS, TORN or
 * DAMAGED. The work is bounded for any bytes. */
ls_recording_end_kind ls_tail_classify(const ls_tail *tail);

/* A search through the tail, at offset `at`. */
typedef struct ls_tail_search {
    size_t at;
    size_t hashed_bytes;
} ls_tail_search;
/* Finds the next record of a known type that verifies, and moves past it. False when there is none,
 * or when it would have to hash too much. */
bool ls_tail_find(const ls_tail *tail, ls_tail_search *search, ls_record *record) LS_MUST_USE;
/* The number of intact keyframes in the tail whose full keyframe is intact, too. That full keyframe
 * may also be the last one before the tail, of tick `full_tick`. The work is bounded. */
uint32_t ls_tail_keyframes(const ls_tail *tail, uint64_t full_tick);

#endif
