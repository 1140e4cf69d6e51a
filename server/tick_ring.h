/* The encoded frames of the last ticks, and the windows of them that fit a packet. */
#ifndef LS_TICK_RING_H
#define LS_TICK_RING_H

#include "proto/message.h"
#include <lockstep/limits.h>

/* The bodies follow each other in one block. It grows up to LS_SERVER_RING_BYTES; beyond that, old
 * frames go, but never one of the last LS_SERVER_RING_TICKS. */
typedef struct ls_tick_ring {
    uint64_t next;      /* tick of the next frame */
    uint32_t count;     /* frames kept */
    uint32_t ticks_max; /* limit */
    uint16_t *bytes;
    uint32_t *offsets;
    uint32_t end; /* offset of the next body, if it fits there */
    uint32_t capacity;
    uint8_t *block;
} ls_tick_ring;

/* The ticks that a match of this rate keeps, LS_SERVER_RING_NS of them. A late joiner must load
 * its snapshot within that time, then fetches the ticks since. */
uint32_t ls_tick_ring_ticks(uint32_t tick_rate);
/* Empty, before tick `first`. Keeps at least LS_SERVER_RING_TICKS. */
void ls_tick_ring_init(ls_tick_ring *ring, uint64_t first, uint32_t ticks_max);
void ls_tick_ring_reset(ls_tick_ring *ring);

/* Appends the next frame and returns its bytes. Asserts that it is the next and within its limits.
 */
uint32_t ls_tick_ring_push(ls_tick_ring *ring, const ls_frame *frame);
/* Tick of the oldest frame; `next` when there is none. */
uint64_t ls_tick_ring_first(const ls_tick_ring *ring);
/* The bytes of one frame, which must be kept; valid until the next push. */
ls_ticks_body ls_tick_ring_body(const ls_tick_ring *ring, uint64_t tick);

/* The window of a client that wants tick `ack` next: the newest min(unacknowledged, 8) frames,
 * fewer when they do not fit. Returns the count; 0, with nothing filled in: the client has all.
 *   owns  the bodies live until the next push */
uint32_t ls_tick_ring_window(const ls_tick_ring *ring, uint64_t ack, ls_ticks *ticks);
/* The frames from `first` on, at most `count`, that fit a message. 0 when `first` is not kept. */
uint32_t ls_tick_ring_range(const ls_tick_ring *ring, uint64_t first, uint32_t count,
                            ls_ticks *ticks);

#endif
