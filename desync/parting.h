/* Where two recordings of one match part: the first tick for which they hold other inputs, or which
 * left another state. Nothing is simulated. */
#ifndef LS_PARTING_H
#define LS_PARTING_H

#include "replays/recording.h"

typedef enum ls_parting_kind {
    LS_PARTING_NONE,   /* the shorter one is the beginning of the longer one */
    LS_PARTING_INPUTS, /* equal states, and then other inputs */
    LS_PARTING_START,  /* the states differ before the first tick */
    LS_PARTING_STATE,  /* equal states and equal inputs, and then other states */
} ls_parting_kind;

typedef struct ls_parting {
    ls_parting_kind kind;
    uint64_t tick;        /* that has the other inputs, or that made the other state */
    uint64_t root;        /* before it, of both; 0 when they part before it */
    uint64_t roots[2];    /* behind it */
    uint64_t ticks[2];    /* in each */
    char *inputs[2];      /* of the tick, in words, where they differ */
    ls_status ends[2];    /* CORRUPT or INCOMPATIBLE: more lies behind what could be read */
    ls_error end_text[2]; /* then why */
} ls_parting;

/* The recordings are read from their start, and left somewhere.
 *   errors  INCOMPATIBLE when they are of two matches or two simulations, or begin at other ticks
 *   owns    ls_parting_reset() by the caller, not after an error */
ls_status ls_parting_find(ls_recording *const recordings[2], ls_parting *parting,
                          ls_error *error) LS_MUST_USE;
void ls_parting_reset(ls_parting *parting);

#endif
