/* How long packets wait in the queues of a line: the present round trip minus the least one. Jitter
 * and loss are no queue, so the present round trip is the least of a few samples. Pure.
 *   source  RFC 6817 (LEDBAT), sections 2 and 3: base delay, current delay */
#ifndef LS_QUEUE_DELAY_H
#define LS_QUEUE_DELAY_H

#include <lockstep/limits.h>

/* SAMPLES: the least of this many is the present round trip. PERIOD_NS: the least round trip is
 * taken over this period and the one before, because a route may become longer. TARGET_MIN_NS: a
 * shorter wait cannot be distinguished from the pauses of processes. */
#define LS_QUEUE_DELAY_SAMPLES       4
#define LS_QUEUE_DELAY_PERIOD_NS     (60 * LS_SECOND_NS)
#define LS_QUEUE_DELAY_TARGET_MIN_NS (LS_SECOND_NS / 100)

typedef struct ls_queue_delay {
    uint64_t base_ns[2]; /* the least round trip of the present and the previous period; 0: none */
    uint64_t since_ns;   /* when the present period began */
    uint64_t recent_ns[LS_QUEUE_DELAY_SAMPLES];
    uint64_t count; /* samples noted so far */
} ls_queue_delay;

/* Adds a sample of the round trip. A zeroed ls_queue_delay has no sample. */
void ls_queue_delay_note(ls_queue_delay *delay, uint64_t rtt_ns, uint64_t now_ns);
/* Adds a round trip as a candidate for the least one only. The sample is of a packet at the head of
 * a burst, which waited for no other packet of it. */
void ls_queue_delay_note_base(ls_queue_delay *delay, uint64_t rtt_ns, uint64_t now_ns);

/* The least round trip; 0 while none is known. */
uint64_t ls_queue_delay_base_ns(const ls_queue_delay *delay);
/* The present wait in the queue. */
uint64_t ls_queue_delay_ns(const ls_queue_delay *delay);
/* The wait to aim at: an eighth of the least round trip, at least LS_QUEUE_DELAY_TARGET_MIN_NS. */
uint64_t ls_queue_delay_target_ns(const ls_queue_delay *delay);

#endif
