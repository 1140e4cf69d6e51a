/* How much of what is said again the line has room for. Ticks and states are repeated against loss;
 * where that fills the queue of the line, the queue costs more than the loss. So the client, which
 * knows the round trip best, has both sides leave repeats out while packets wait. Pure. */
#ifndef LS_REDUNDANCY_H
#define LS_REDUNDANCY_H

#include "client/queue_delay.h"

#define LS_REDUNDANCY_ROUND_NS (LS_SECOND_NS / 4)
#define LS_REDUNDANCY_CALM_NS  (5 * LS_SECOND_NS)

typedef struct ls_redundancy {
    uint32_t withheld; /* repeats of a window that are left out, 0..LS_WITHHELD_MAX */
    uint64_t round_ns; /* begin of the present round */
    uint64_t least_ns; /* round trip in it: jitter is no queue; 0: none yet */
    uint64_t calm_ns;  /* the queue has been short since then */
} ls_redundancy;

/* A round trip was measured; `line` knows it. At the end of each round, of two least round trips
 * and LS_REDUNDANCY_ROUND_NS at least: a wait of more than twice the target withholds one repeat
 * more, one of more than the least round trip all of them. After LS_REDUNDANCY_CALM_NS in which the
 * wait was under the target there is one repeat more again. */
void ls_redundancy_note(ls_redundancy *redundancy, const ls_queue_delay *line, uint64_t rtt_ns,
                        uint64_t now_ns);

#endif
