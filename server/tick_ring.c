#include "server/tick_ring.h"

void ls_tick_ring_init(ls_tick_ring *ring)
{
    *ring = (ls_tick_ring){.bodies = ls_alloc(LS_SERVER_RING_TICKS * sizeof *ring->bodies)};
}

void ls_tick_ring_reset(ls_tick_ring *ring)
{
    ls_free(ring->bodies);
    ring->bodies = NULL;
}

uint32_t ls_tick_ring_push(ls_tick_ring *ring, const ls_frame *frame)
{
    LS_ASSERT(frame->tick == ring->next);
    uint32_t slot = (uint32_t)(ring->next % LS_SERVER_RING_TICKS);
    ls_writer writer;
    ls_writer_init(&writer, ring->bodies[slot], LS_FRAME_BYTES_MAX);
    ls_frame_encode(frame, &writer);
    LS_ASSERT(!writer.failed);
    ring->bytes[slot] = (uint16_t)writer.count;
    ring->next++;
    if (ring->count < LS_SERVER_RING_TICKS)
        ring->count++;
    return (uint32_t)writer.count;
}

uint64_t ls_tick_ring_first(const ls_tick_ring *ring)
{
    return ring->next - ring->count;
}

static ls_ticks_body body_of(const ls_tick_ring *ring, uint64_t tick)
{
    uint32_t slot = (uint32_t)(tick % LS_SERVER_RING_TICKS);
    return (ls_ticks_body){.data = ring->bodies[slot], .bytes = ring->bytes[slot]};
}

uint32_t ls_tick_ring_window(const ls_tick_ring *ring, uint64_t ack, ls_ticks *ticks)
{
    uint64_t first = ls_tick_ring_first(ring);
    uint32_t bytes = 0, count = 0;
    while (count < LS_TICKS_WINDOW) {
        uint64_t newest = ring->next - count; /* one above the tick in question */
        if (newest <= ack || newest <= first)
            break;
        ls_ticks_body body = body_of(ring, newest - 1);
        if (bytes + body.bytes > LS_TICKS_BODIES_BYTES_MAX)
            break;
        bytes += body.bytes;
        ticks->bodies[count++] = body;
    }
    if (count) {
        ticks->first = ring->next - count;
        ticks->count = count;
    }
    return count;
}

uint32_t ls_tick_ring_range(const ls_tick_ring *ring, uint64_t first, uint32_t count,
                            ls_ticks *ticks)
{
    if (first < ls_tick_ring_first(ring) || first >= ring->next)
        return 0;
    uint64_t left = ring->next - first;
    if (count > left)
        count = (uint32_t)left;
    uint32_t bytes = 0, fits = 0;
    while (fits < count && fits < LS_TICKS_MAX) {
        bytes += body_of(ring, first + fits).bytes;
        if (bytes > LS_TICKS_BODIES_BYTES_MAX)
            break;
        fits++;
    }
    for (uint32_t i = 0; i < fits; i++)
        ticks->bodies[i] = body_of(ring, first + fits - 1 - i);
    ticks->first = first;
    ticks->count = fits;
    return fits;
}
