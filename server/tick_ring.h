/* The frames of the last ticks in their byte form, and what of them one packet carries. */
#ifndef LS_TICK_RING_H
#define LS_TICK_RING_H

#include "proto/message.h"
#include <lockstep/limits.h>

/* The bodies lie behind each other in one block, which grows until it holds all that are kept, or
 * has LS_SERVER_RING_BYTES: then old ones go, but never one of the last LS_SERVER_RING_TICKS. */
typedef struct ls_tick_ring {
    uint64_t next;      /* tick of the next frame */
    uint32_t count;     /* frames kept */
    uint32_t ticks_max; /* at most */
    uint16_t *bytes;
    uint32_t *offsets;
    uint32_t end; /* where the next body goes, if it fits there */
    uint32_t capacity;
    uint8_t *block;
} ls_tick_ring;

/* How many ticks a match of this rate keeps: those of LS_SERVER_RING_NS. Whoever joins over a
 * narrow line has so long to load the world, and then fetches what happened meanwhile. */
uint32_t ls_tick_ring_ticks(uint32_t tick_rate);
/* Empty, before tick `first`. At least LS_SERVER_RING_TICKS are kept. */
void ls_tick_ring_init(ls_tick_ring *ring, uint64_t first, uint32_t ticks_max);
void ls_tick_ring_reset(ls_tick_ring *ring);

/* Keeps one more frame and returns its bytes. Asserts that it is the next and within its limits. */
uint32_t ls_tick_ring_push(ls_tick_ring *ring, const ls_frame *frame);
/* Tick of the oldest frame kept; `next` when there is none. */
uint64_t ls_tick_ring_first(const ls_tick_ring *ring);
/* One frame's bytes; asserts that it is kept. Lives until the next push. */
ls_ticks_body ls_tick_ring_body(const ls_tick_ring *ring, uint64_t tick);

/* The running window of a client whose next tick is `ack`: the newest min(un-acked, 8) frames,
 * fewer when they do not fit a message. Returns the count; 0, and nothing filled, when it has all.
 *   owns  the bodies live until the next push */
uint32_t ls_tick_ring_window(const ls_tick_ring *ring, uint64_t ack, ls_ticks *ticks);
/* As many of the frames from `first` on, at most `count`, as fit a message. 0 when `first` is not
 * kept. */
uint32_t ls_tick_ring_range(const ls_tick_ring *ring, uint64_t first, uint32_t count,
                            ls_ticks *ticks);

#endif
