/* Received frames that wait for their turn, in any order, and the gaps between them. */
#ifndef LS_CLIENT_FRAMES_H
#define LS_CLIENT_FRAMES_H

#include "proto/message.h"
#include <lockstep/limits.h>

typedef struct ls_frames {
    uint64_t next;                 /* tick of the frame that the world waits for */
    uint64_t have;                 /* the first tick that is missing; >= next */
    uint64_t head;                 /* one above the highest tick that is known to exist; >= have */
    uint64_t received, duplicates; /* frames, not packets */
    uint16_t
        bytes[LS_CLIENT_RING_TICKS]; /* of the tick modulo LS_CLIENT_RING_TICKS; 0: not there */
    /* Most clients keep a few frames at a time. They use the first bodies again and again, so the
     * others are never touched and take no memory. */
    uint8_t (*bodies)[LS_FRAME_BYTES_MAX];
    uint16_t body_of[LS_CLIENT_RING_TICKS];     /* of each tick that is there */
    uint16_t free_bodies[LS_CLIENT_RING_TICKS]; /* the last one is taken next */
    uint32_t free_count;
} ls_frames;

void ls_frames_init(ls_frames *frames);
void ls_frames_reset(ls_frames *frames);
/* Forgets everything but the counts; the world now waits for `next`. */
void ls_frames_restart(ls_frames *frames, uint64_t next);

/* Keeps the new ticks of a decoded message. A known tick never changes; ticks beyond the ring only
 * raise the head. */
void ls_frames_put(ls_frames *frames, const ls_ticks *ticks);
/* The next frame's body, or false while it is missing. Lives until the next put. */
bool ls_frames_peek(const ls_frames *frames, ls_ticks_body *body);
/* Done with the next frame. Asserts that it is there. */
void ls_frames_pop(ls_frames *frames);
/* The first run of missing ticks below the head; false when there is none. */
bool ls_frames_gap(const ls_frames *frames, uint64_t *first, uint32_t *count);

#endif
