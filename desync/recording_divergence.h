/* Finds where two recordings of one match begin to differ: the first tick for which they hold
 * different inputs, or which led to different states. Simulates nothing. */
#ifndef LS_RECORDING_DIVERGENCE_H
#define LS_RECORDING_DIVERGENCE_H

#include <lockstep/recording.h>

typedef enum ls_recording_divergence_kind {
    LS_RECORDING_DIVERGENCE_NONE,   /* the shorter recording is the beginning of the longer one */
    LS_RECORDING_DIVERGENCE_INPUTS, /* equal states, and then different inputs */
    LS_RECORDING_DIVERGENCE_START,  /* the states differ before the first tick */
    LS_RECORDING_DIVERGENCE_STATE,  /* equal states and equal inputs, and then other states */
} ls_recording_divergence_kind;

typedef struct ls_recording_divergence {
    ls_recording_divergence_kind kind;
    uint64_t tick;        /* that has the different inputs, or that made the different states */
    uint64_t roots[2];    /* after `tick`; for LS_RECORDING_DIVERGENCE_START before it */
    uint64_t ticks[2];    /* number of ticks in each recording */
    char *inputs[2];      /* of the tick, in words, if they differ */
    ls_status ends[2];    /* CORRUPT or INCOMPATIBLE: the file has more that cannot be read */
    ls_error end_text[2]; /* the reason for `ends` */
} ls_recording_divergence;

/* Reads both recordings from their start; their reading positions are unspecified afterwards.
 *   errors  INCOMPATIBLE when they are of two matches or two simulations, or begin at different
 *           ticks
 *   owns    ls_recording_divergence_reset() by the caller, not after an error */
ls_status ls_recording_divergence_find(ls_recording *const recordings[2],
                                       ls_recording_divergence *divergence,
                                       ls_error *error) LS_MUST_USE;
void ls_recording_divergence_reset(ls_recording_divergence *divergence);

#endif
