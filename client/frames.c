#include "client/frames.h"

#include <string.h>

static void free_all(ls_frames *frames)
{
    memset(frames->bytes, 0, sizeof frames->bytes);
    frames->free_count = LS_CLIENT_RING_TICKS;
    for (uint32_t i = 0; i < LS_CLIENT_RING_TICKS; i++)
        frames->free_bodies[i] = (uint16_t)(LS_CLIENT_RING_TICKS - 1 - i);
}

void ls_frames_init(ls_frames *frames)
{
    *frames = (ls_frames){.bodies = ls_alloc(LS_CLIENT_RING_TICKS * sizeof *frames->bodies)};
    free_all(frames);
}

void ls_frames_reset(ls_frames *frames)
{
    ls_free(frames->bodies);
    frames->bodies = NULL;
}

void ls_frames_restart(ls_frames *frames, uint64_t next)
{
    free_all(frames);
    frames->next = frames->have = frames->head = next;
}

static void keep(ls_frames *frames, uint32_t slot, const ls_ticks_body *body)
{
    LS_ASSERT(frames->free_count > 0);
    frames->body_of[slot] = frames->free_bodies[--frames->free_count];
    memcpy(frames->bodies[frames->body_of[slot]], body->data, body->bytes);
    frames->bytes[slot] = (uint16_t)body->bytes;
}

static void put_one(ls_frames *frames, uint64_t tick, const ls_ticks_body *body)
{
    uint32_t slot = (uint32_t)(tick % LS_CLIENT_RING_TICKS);
    frames->received++;
    if (tick < frames->have || (tick - frames->next < LS_CLIENT_RING_TICKS && frames->bytes[slot]))
        frames->duplicates++;
    else if (tick - frames->next < LS_CLIENT_RING_TICKS)
        keep(frames, slot, body);
}

void ls_frames_put(ls_frames *frames, const ls_ticks *ticks)
{
    for (uint32_t i = 0; i < ticks->count; i++)
        put_one(frames, ticks->first + ticks->count - 1 - i, &ticks->bodies[i]);
    if (ticks->first + ticks->count > frames->head)
        frames->head = ticks->first + ticks->count;
    while (frames->have - frames->next < LS_CLIENT_RING_TICKS &&
           frames->bytes[frames->have % LS_CLIENT_RING_TICKS])
        frames->have++;
}

bool ls_frames_peek(const ls_frames *frames, ls_ticks_body *body)
{
    uint32_t slot = (uint32_t)(frames->next % LS_CLIENT_RING_TICKS);
    *body = (ls_ticks_body){.data = frames->bodies[frames->body_of[slot]],
                            .bytes = frames->bytes[slot]};
    return body->bytes != 0;
}

void ls_frames_pop(ls_frames *frames)
{
    uint32_t slot = (uint32_t)(frames->next % LS_CLIENT_RING_TICKS);
    LS_ASSERT(frames->bytes[slot] != 0);
    frames->bytes[slot] = 0;
    frames->free_bodies[frames->free_count++] = frames->body_of[slot];
    frames->next++;
}

bool ls_frames_gap(const ls_frames *frames, uint64_t *first, uint32_t *count)
{
    uint64_t end = frames->head - frames->next > LS_CLIENT_RING_TICKS
                       ? frames->next + LS_CLIENT_RING_TICKS
                       : frames->head;
    uint64_t missing_end = frames->have;
    *first = frames->have;
    for (uint64_t tick = frames->have; tick < end && tick - missing_end < LS_TICKS_WINDOW; tick++)
        if (!frames->bytes[tick % LS_CLIENT_RING_TICKS])
            missing_end = tick + 1;
    *count = (uint32_t)(missing_end - *first);
    return *count != 0;
}
