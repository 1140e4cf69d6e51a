/* How long packets wait in the queues of a line: the present round trip less the least one. Jitter
 * and loss are no queue, so the present one is the least of a few samples. Pure.
 *   source  RFC 6817 (LEDBAT), sections 2 and 3: base delay, current delay */
#ifndef LS_QUEUE_DELAY_H
#define LS_QUEUE_DELAY_H

#include <lockstep/limits.h>

/* SAMPLES: their least is the present round trip. PERIOD_NS: the least round trip is that of the
 * present period and of the one before, because a route may become longer. LEAST_NS: a shorter wait
 * is not told from the pauses of processes. */
#define LS_QUEUE_DELAY_SAMPLES   4
#define LS_QUEUE_DELAY_PERIOD_NS (60 * LS_SECOND_NS)
#define LS_QUEUE_DELAY_LEAST_NS  (LS_SECOND_NS / 100)

typedef struct ls_queue_delay {
    uint64_t least_ns[2]; /* of the present period, of the one before; 0: none */
    uint64_t since_ns;    /* when the present period began */
    uint64_t recent_ns[LS_QUEUE_DELAY_SAMPLES];
    uint64_t count; /* of all samples of the present round trip */
} ls_queue_delay;

/* A sample of the round trip. All zeros is the state before the first one. */
void ls_queue_delay_note(ls_queue_delay *delay, uint64_t rtt_ns, uint64_t now_ns);
/* A round trip that may only be the least: a packet that came before others of the same burst. */
void ls_queue_delay_note_least(ls_queue_delay *delay, uint64_t rtt_ns, uint64_t now_ns);

/* The least round trip; 0 while none is known. */
uint64_t ls_queue_delay_least_ns(const ls_queue_delay *delay);
/* The wait at present. */
uint64_t ls_queue_delay_ns(const ls_queue_delay *delay);
/* The wait that is aimed at: an eighth of the least round trip, at least LS_QUEUE_DELAY_LEAST_NS.
 */
uint64_t ls_queue_delay_target_ns(const ls_queue_delay *delay);

#endif
