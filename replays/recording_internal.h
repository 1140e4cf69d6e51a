/* The struct of a recording, and functions that its sources share. Private to this folder. */
#ifndef LS_RECORDING_INTERNAL_H
#define LS_RECORDING_INTERNAL_H

#include "replays/recording_index.h"
#include <lockstep/recording.h>

struct ls_joined_files;

/* How to read a recording that is joined from several files (recording_series_join.c). A table of
 * functions: that source calls the reader of single files, so a direct call back would make a
 * circle of files. */
typedef struct ls_joined_vtable {
    ls_status (*next)(ls_recording *recording, const ls_recording_tick **tick, ls_error *error);
    ls_status (*seek)(ls_recording *recording, uint64_t tick, ls_error *error);
    bool (*find_root)(const struct ls_joined_files *joined, uint64_t tick, uint64_t *root);
    const ls_recording *(*file)(const struct ls_joined_files *joined); /* the file being read */
    ls_status (*check_signatures)(const struct ls_joined_files *joined, ls_recording_signed *result,
                                  ls_error *error);
    void (*destroy)(struct ls_joined_files *joined);
} ls_joined_vtable;

struct ls_recording {
    ls_cursor cursor;
    ls_recording_index index;
    uint8_t *owned; /* the file's bytes; NULL: the caller owns them */
    char *name;
    ls_recording_header header;
    /* For a recording joined from several files; the cursor then has only the position. NULL: one
     * file. */
    struct ls_joined_files *joined;
    const ls_joined_vtable *joined_vtable;
};

#endif
