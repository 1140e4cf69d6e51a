/* Functions for continuing after the valid prefix of a file. Private to this folder. */
#ifndef LS_RECORDER_BEGIN_H
#define LS_RECORDER_BEGIN_H

#include "replays/recorder_internal.h"
#include <lockstep/recording_tick.h>

/* The result of reading a recording, for a recorder that goes on after it. */
typedef struct ls_recorder_prefix {
    ls_sink sink;
    const char *name;
    const ls_recording_header *header;
    const ls_recording_end *end;
    uint64_t signed_tick, next_keyframe, next_columns;
    ls_running_hash hash;
    ls_state_memory memory;     /* points into the bytes that were read */
    uint8_t chain[CHAIN_BYTES]; /* the bytes that end it */
} ls_recorder_prefix;
ls_recorder *ls_recorder_continue(const ls_recorder_prefix *prefix);

#endif
