/* The results of reading a recording: its ticks, and where and why they end. */
#ifndef LS_RECORDING_TICK_H
#define LS_RECORDING_TICK_H

#include <lockstep/recording_format.h>

/* Roots of consecutive ticks; the root of a tick is that of the world before it.
 *   owns    `values` belong to the recording, until the next ls_recording_next */
typedef struct ls_recording_roots {
    uint64_t first_tick;
    uint32_t count;
    const uint64_t *values;
} ls_recording_roots;

/* One tick of a match as it was played. */
typedef struct ls_recording_tick {
    ls_frame frame; /* points into the recording; valid until the next ls_recording_next */
    ls_recording_roots roots; /* those known since the tick before, none of a later tick */
    uint32_t epoch;           /* how often the match had been resumed */
} ls_recording_tick;

/* Why no more ticks come; docs/replay-format.md defines each. The first four are LS_OK. */
typedef enum ls_recording_end_kind {
    LS_RECORDING_RUNNING = 0,  /* the end was not reached yet */
    LS_RECORDING_CLEAN,        /* a closing record, then nothing */
    LS_RECORDING_OPEN,         /* whole records, none closes: the writer died or is at work */
    LS_RECORDING_TORN,         /* the last record is incomplete */
    LS_RECORDING_ZEROS,        /* only zeros follow: the machine died before they were written */
    LS_RECORDING_DAMAGED,      /* LS_ERROR_CORRUPT: bytes changed */
    LS_RECORDING_UNKNOWN_TYPE, /* LS_ERROR_INCOMPATIBLE: a newer program's record */
} ls_recording_end_kind;

typedef struct ls_recording_end {
    ls_recording_end_kind kind;
    bool is_closed;               /* a closing record was read; torn bytes or zeros may follow it */
    uint64_t tick_count;          /* valid ticks, from header first_tick on */
    uint64_t valid_bytes;         /* where the prefix ends */
    uint64_t ignored_bytes;       /* what follows it */
    ls_recording_closing closing; /* when is_closed */
    ls_recording_roots roots;     /* those after the last tick's */
    uint64_t root_tick; /* the first tick without a known root; the one after the last when all are
                           known */
    uint32_t epoch_count;     /* how many epoch records were read */
    ls_recording_epoch epoch; /* the last of them; when none, the header's epoch */
    uint32_t later_keyframes; /* when DAMAGED: keyframes after the damage that are whole and have a
                                 whole full one */
} ls_recording_end;

#endif
