/* Measures how long a session takes to acknowledge ticks, and derives the wait before they are sent
 * again. Sending earlier would only double the traffic. This time is longer than the round trip,
 * because the client acknowledges in its next UPDATE. The server does not measure the round trip
 * itself: it learns the round trip only from the client's REPORT and evidence. */
#ifndef LS_RESEND_TIMER_H
#define LS_RESEND_TIMER_H

#include <lockstep/base.h>

/* A zeroed timer knows nothing. Members are private. */
typedef struct ls_resend_timer {
    uint64_t next, since_ns; /* ticks before `next` are being timed; 0: none */
    /* Smoothed mean and deviation of the time to an acknowledgement, of samples up to
     * LS_SERVER_RESEND_MAX_NS; 0: unknown. */
    uint64_t mean_ns, off_ns;
} ls_resend_timer;

/* Notes that all missing ticks before `next` were sent, for the first time or again. */
void ls_resend_timer_sent(ls_resend_timer *timer, uint64_t next, uint64_t now_ns);
/* Notes that the client has all ticks before `ack`. */
void ls_resend_timer_acked(ls_resend_timer *timer, uint64_t ack, uint64_t arrived_ns);
/* The wait before ticks are sent again: LS_SERVER_RESEND_NS to LS_SERVER_RESEND_MAX_NS. */
uint64_t ls_resend_timer_ns(const ls_resend_timer *timer);

#endif
