/* For recorder_resume.c: begins a recorder after the valid prefix of an existing file. A recorder
 * of a new file begins with ls_recorder_begin() (include/lockstep/recorder.h). Private to this
 * folder. */
#ifndef LS_RECORDER_BEGIN_H
#define LS_RECORDER_BEGIN_H

#include "replays/recorder_internal.h"
#include <lockstep/recording_tick.h>

/* The result of reading that prefix. */
typedef struct ls_recorder_prefix {
    ls_sink sink;
    const char *name;
    const ls_recording_header *header;
    const ls_recording_end *end;
    uint64_t signed_tick, next_keyframe, next_columns;
    ls_running_hash hash;
    ls_state_memory memory;     /* points into the existing bytes */
    uint8_t chain[CHAIN_BYTES]; /* the last bytes of the prefix */
} ls_recorder_prefix;
ls_recorder *ls_recorder_continue(const ls_recorder_prefix *prefix);

#endif
