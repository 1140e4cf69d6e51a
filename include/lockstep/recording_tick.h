/* Results of reading a recording: its ticks, and where and why they end. */
#ifndef LS_RECORDING_TICK_H
#define LS_RECORDING_TICK_H

#include <lockstep/recording_format.h>

/* Roots of consecutive ticks; the root of a tick is the hash of the world before it.
 *   owns    `values` belong to the recording, until the next ls_recording_next() */
typedef struct ls_recording_roots {
    uint64_t first_tick;
    uint32_t count;
    const uint64_t *values;
} ls_recording_roots;

/* One tick of a match as it was played. */
typedef struct ls_recording_tick {
    ls_frame frame; /* points into the recording; valid until the next ls_recording_next */
    ls_recording_roots roots; /* recorded since the previous frame; none of a later tick */
    uint32_t epoch;           /* the number of resumes of the match before this tick */
} ls_recording_tick;

/* Why no more ticks follow; docs/replay-format.md defines each kind. The first four are LS_OK. */
typedef enum ls_recording_end_kind {
    LS_RECORDING_RUNNING = 0, /* the end is not reached yet */
    LS_RECORDING_CLEAN,       /* a closing record ends the file */
    LS_RECORDING_OPEN,    /* only whole records, none closing: the writer died or still writes */
    LS_RECORDING_TORN,    /* the last record is incomplete */
    LS_RECORDING_ZEROS,   /* only zeros follow: the machine died before the bytes were written */
    LS_RECORDING_DAMAGED, /* LS_ERROR_CORRUPT: bytes were changed */
    LS_RECORDING_UNKNOWN_TYPE, /* LS_ERROR_INCOMPATIBLE: a record of a newer program */
} ls_recording_end_kind;

typedef struct ls_recording_end {
    ls_recording_end_kind kind;
    bool is_closed;               /* a closing record was read; torn bytes or zeros may follow it */
    uint64_t tick_count;          /* valid ticks from the header's first_tick on */
    uint64_t valid_bytes;         /* length of the valid prefix */
    uint64_t ignored_bytes;       /* bytes after it */
    ls_recording_closing closing; /* when is_closed */
    ls_recording_roots roots;     /* roots after the last tick's */
    uint64_t root_tick;       /* first tick without a known root; if none, after the last tick */
    uint32_t epoch_count;     /* epoch records read */
    ls_recording_epoch epoch; /* the last of them, or else the header's epoch */
    uint32_t later_keyframes; /* DAMAGED: intact keyframes after the damage that have an intact full
                                 one */
} ls_recording_end;

#endif
