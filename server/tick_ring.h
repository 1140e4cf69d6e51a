/* The encoded frames of the last ticks; selects the windows of frames that fit a packet. */
#ifndef LS_TICK_RING_H
#define LS_TICK_RING_H

#include "proto/message.h"
#include <lockstep/limits.h>

/* The bodies are in one block, in order. The block grows up to LS_SERVER_RING_BYTES. Then old
 * frames are dropped, but never one of the last LS_SERVER_RING_TICKS. */
typedef struct ls_tick_ring {
    uint64_t next;      /* tick of the next frame */
    uint32_t count;     /* frames kept */
    uint32_t ticks_max; /* limit of `count` */
    uint16_t *bytes;    /* of each body, by tick modulo ticks_max */
    uint32_t *offsets;  /* of each body in `block`, by tick modulo ticks_max */
    uint32_t end;       /* offset of the next body, if it fits there */
    uint32_t capacity;
    uint8_t *block;
} ls_tick_ring;

/* Returns the number of ticks in LS_SERVER_RING_NS at this rate. A late joiner must load its
 * snapshot within that time, and then fetches the ticks since. */
uint32_t ls_tick_ring_ticks(uint32_t tick_rate);
/* Creates an empty ring; its first frame will be the frame of tick `first`. Keeps at least
 * LS_SERVER_RING_TICKS. */
void ls_tick_ring_init(ls_tick_ring *ring, uint64_t first, uint32_t ticks_max);
void ls_tick_ring_reset(ls_tick_ring *ring);

/* Appends the next frame and returns its size in bytes. Asserts the frame's tick and limits. */
uint32_t ls_tick_ring_push(ls_tick_ring *ring, const ls_frame *frame);
/* Returns the tick of the oldest frame; `next` when the ring is empty. */
uint64_t ls_tick_ring_first(const ls_tick_ring *ring);
/* Returns the bytes of a kept frame; valid until the next push. */
ls_ticks_body ls_tick_ring_body(const ls_tick_ring *ring, uint64_t tick);

/* Fills in the window of a client that needs tick `ack` next: the newest LS_TICKS_WINDOW
 * unacknowledged frames, fewer when they do not fit. Returns their number. 0, with nothing filled
 * in, when the client has all.
 *   owns  the bodies are valid until the next push */
uint32_t ls_tick_ring_window(const ls_tick_ring *ring, uint64_t ack, ls_ticks *ticks);
/* Fills in at most `count` frames from `first` on, as many as fit a message. Returns their number;
 * 0 when `first` is not kept. */
uint32_t ls_tick_ring_range(const ls_tick_ring *ring, uint64_t first, uint32_t count,
                            ls_ticks *ticks);

#endif
