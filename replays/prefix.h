/* A recorder that goes on behind the valid prefix of a recording. Private to this folder. */
#ifndef LS_REPLAYS_PREFIX_H
#define LS_REPLAYS_PREFIX_H

#include "replays/recorder.h"

/* What a recording was read to be, for a recorder that goes on behind it. */
typedef struct ls_recorder_prefix {
    ls_sink sink;
    const char *name;
    const ls_recording_header *header;
    const ls_recording_end *end;
    const uint8_t *chain; /* the eight bytes that end it */
} ls_recorder_prefix;
ls_recorder *ls_recorder_continue(const ls_recorder_prefix *prefix);

#endif
