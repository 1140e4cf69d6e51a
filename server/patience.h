/* How long a session takes to acknowledge ticks, and so how long to wait before they are sent to it
 * again: before its answer can be there that would only double the traffic. */
#ifndef LS_PATIENCE_H
#define LS_PATIENCE_H

#include "core/base.h"

/* Zeroed to begin with: nothing is known. Members are private. */
typedef struct ls_patience {
    uint64_t next, since_ns; /* the ticks before `next` are being timed; 0: none are */
    uint64_t rtt_ns, off_ns; /* smoothed, and how far the samples lie off it; 0: not known */
} ls_patience;

/* All ticks before `next` that it lacks were sent, for the first time or again. */
void ls_patience_sent(ls_patience *patience, uint64_t next, uint64_t now_ns);
/* It has all ticks before `ack`. */
void ls_patience_heard(ls_patience *patience, uint64_t ack, uint64_t now_ns);
/* LS_SERVER_RESEND_NS to LS_SERVER_RESEND_MAX_NS. */
uint64_t ls_patience_ns(const ls_patience *patience);

#endif
