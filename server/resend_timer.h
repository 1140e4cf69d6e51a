/* How long a session takes to acknowledge ticks, and so how long to wait before they are sent to it
 * again: before its answer can be there that would only double the traffic. */
#ifndef LS_RESEND_TIMER_H
#define LS_RESEND_TIMER_H

#include <lockstep/base.h>

/* Zeroed to begin with: nothing is known. Members are private. */
typedef struct ls_resend_timer {
    uint64_t next, since_ns; /* the ticks before `next` are being timed; 0: none are */
    uint64_t rtt_ns, off_ns; /* smoothed, and how far the samples lie off it; 0: not known */
} ls_resend_timer;

/* All ticks before `next` that it lacks were sent, for the first time or again. */
void ls_resend_timer_sent(ls_resend_timer *timer, uint64_t next, uint64_t now_ns);
/* It has all ticks before `ack`. */
void ls_resend_timer_acked(ls_resend_timer *timer, uint64_t ack, uint64_t now_ns);
/* LS_SERVER_RESEND_NS to LS_SERVER_RESEND_MAX_NS. */
uint64_t ls_resend_timer_ns(const ls_resend_timer *timer);

#endif
