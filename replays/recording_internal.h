/* A recording as its own sources see it. Private to this folder. */
#ifndef LS_RECORDING_INTERNAL_H
#define LS_RECORDING_INTERNAL_H

#include "proto/running_hash.h"
#include "replays/index.h"

struct ls_recording {
    ls_cursor cursor;
    ls_recording_index index;
    uint8_t *owned; /* the file's bytes, or NULL when they are the caller's */
    char *name;
    ls_recording_header header;
};

/* As ls_recording_check_signatures(), and gives the hash of the whole prefix. */
ls_status ls_recording_hash(const ls_recording *recording, ls_running_hash *hash,
                            ls_recording_signed *result, ls_error *error) LS_MUST_USE;

#endif
