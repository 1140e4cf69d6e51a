/* A recording as its own sources see it. Private to this folder. */
#ifndef LS_RECORDING_INTERNAL_H
#define LS_RECORDING_INTERNAL_H

#include "replays/recording_index.h"
#include <lockstep/recording.h>

struct ls_whole;

/* How a recording is read that is several files (whole.c), which need each to be read alone. */
typedef struct ls_whole_vtable {
    ls_status (*next)(ls_recording *recording, const ls_recording_tick **tick, ls_error *error);
    ls_status (*seek)(ls_recording *recording, uint64_t tick, ls_error *error);
    bool (*find_root)(const struct ls_whole *whole, uint64_t tick, uint64_t *root);
    const ls_recording *(*file)(const struct ls_whole *whole); /* that is read now */
    ls_status (*check_signatures)(const struct ls_whole *whole, ls_recording_signed *result,
                                  ls_error *error);
    void (*destroy)(struct ls_whole *whole);
} ls_whole_vtable;

struct ls_recording {
    ls_cursor cursor;
    ls_recording_index index;
    uint8_t *owned; /* the file's bytes, or NULL when they are the caller's */
    char *name;
    ls_recording_header header;
    /* For a recording of several files; the cursor then only holds the position. NULL: one file. */
    struct ls_whole *whole;
    const ls_whole_vtable *whole_vtable;
};

#endif
