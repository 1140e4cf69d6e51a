/* What the files of this folder share with one another only. */
#ifndef LS_REPLAYS_INTERNAL_H
#define LS_REPLAYS_INTERNAL_H

#include "replays/recording.h"

/* The bytes behind the valid prefix. */
typedef struct ls_tail {
    ls_reader file;
    const ls_recording_header *header;
    size_t offset;
    uint64_t next_tick; /* of the frame that would come there */
} ls_tail;

/* What they are, given that no valid record lies at their start: OPEN (no bytes), ZEROS, TORN or
 * DAMAGED. Bounded work for any bytes. */
ls_recording_end_kind ls_tail_classify(const ls_tail *tail);

/* How many whole keyframes lie in them; as many as are found in bounded work. */
uint32_t ls_tail_keyframes(const ls_tail *tail);

#endif
