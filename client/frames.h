/* Received frames that the world has not run yet, and the gaps between them. They may arrive in any
 * order. */
#ifndef LS_CLIENT_FRAMES_H
#define LS_CLIENT_FRAMES_H

#include "proto/message.h"
#include <lockstep/limits.h>

typedef struct ls_frames {
    uint64_t next;                 /* tick of the frame that the world waits for */
    uint64_t have;                 /* the first tick that is missing; >= next */
    uint64_t head;                 /* one above the highest tick that is known to exist; >= have */
    uint64_t received, duplicates; /* counts of frames, not of packets */
    uint16_t bytes[LS_CLIENT_RING_TICKS]; /* by tick modulo RING_TICKS; 0: missing */
    /* Most clients keep a few frames at a time. They reuse the first bodies, so the memory of the
     * other bodies is never touched and the system never provides it. */
    uint8_t (*bodies)[LS_FRAME_BYTES_MAX];
    uint16_t body_of[LS_CLIENT_RING_TICKS];     /* index in `bodies` of each present tick */
    uint16_t free_bodies[LS_CLIENT_RING_TICKS]; /* a stack */
    uint32_t free_count;
} ls_frames;

void ls_frames_init(ls_frames *frames);
void ls_frames_reset(ls_frames *frames);
/* Drops all frames and keeps the counters; the world now waits for `next`. */
void ls_frames_restart(ls_frames *frames, uint64_t next);

/* Stores the new ticks of a decoded message. A stored tick never changes; ticks beyond the ring
 * only raise the head. */
void ls_frames_put(ls_frames *frames, const ls_ticks *ticks);
/* Returns the next frame's body, false while it is missing. The bytes are valid until the next put.
 */
bool ls_frames_peek(const ls_frames *frames, ls_ticks_body *body);
/* Removes the next frame, which has run. Asserts that it is present. */
void ls_frames_pop(ls_frames *frames);
/* Returns the ticks to ask for: from the first missing one below the head to the last missing one
 * before LS_TICKS_WINDOW known ticks in a row, so that a line that often loses one tick needs few
 * requests. False when no tick is missing. */
bool ls_frames_gap(const ls_frames *frames, uint64_t *first, uint32_t *count);

#endif
