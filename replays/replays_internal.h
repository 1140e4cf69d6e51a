/* What the files of this folder share with one another only. */
#ifndef LS_REPLAYS_INTERNAL_H
#define LS_REPLAYS_INTERNAL_H

#include "replays/recording.h"

/* What the bytes from `offset` on are, given that no valid record lies there: OPEN (no bytes),
 * ZEROS, TORN or DAMAGED. Bounded work for any bytes. */
ls_recording_end_kind ls_tail_classify(const ls_reader *file, size_t offset, uint64_t salt);

#endif
