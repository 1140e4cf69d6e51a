#include "server/tick_ring.h"

#include "core/base/fault_injection.h"

#include <string.h>

#define BLOCK_BYTES_FIRST (16u << 10)
_Static_assert(LS_SERVER_RING_BYTES >= (LS_SERVER_RING_TICKS + 1) * LS_FRAME_BYTES_MAX,
               "the least number of ticks fits, and what is lost where the block begins again");

uint32_t ls_tick_ring_ticks(uint32_t tick_rate)
{
    uint64_t ticks = tick_rate * (LS_SERVER_RING_NS / LS_SECOND_NS);
    return ticks > LS_SERVER_RING_TICKS ? (uint32_t)ticks : LS_SERVER_RING_TICKS;
}

void ls_tick_ring_init(ls_tick_ring *ring, uint64_t first, uint32_t ticks_max)
{
    LS_ASSERT(ticks_max >= LS_SERVER_RING_TICKS);
    *ring = (ls_tick_ring){.next = first,
                           .ticks_max = ticks_max,
                           .bytes = ls_alloc(ticks_max * sizeof *ring->bytes),
                           .offsets = ls_alloc(ticks_max * sizeof *ring->offsets),
                           .capacity = BLOCK_BYTES_FIRST,
                           .block = ls_alloc(BLOCK_BYTES_FIRST)};
}

void ls_tick_ring_reset(ls_tick_ring *ring)
{
    ls_free(ring->bytes);
    ls_free(ring->offsets);
    ls_free(ring->block);
    *ring = (ls_tick_ring){0};
}

uint64_t ls_tick_ring_first(const ls_tick_ring *ring)
{
    return ring->next - ring->count;
}

ls_ticks_body ls_tick_ring_body(const ls_tick_ring *ring, uint64_t tick)
{
    LS_ASSERT(tick >= ls_tick_ring_first(ring) && tick < ring->next);
    uint32_t slot = (uint32_t)(tick % ring->ticks_max);
    return (ls_ticks_body){.data = ring->block + ring->offsets[slot], .bytes = ring->bytes[slot]};
}

/* Returns an offset for `bytes` that overwrites no kept frame; UINT32_MAX: none. */
static uint32_t find_place(const ls_tick_ring *ring, uint32_t bytes)
{
    if (LS_FAULT(RING_OVERWRITES) && ring->end + bytes > LS_FRAME_BYTES_MAX)
        return 0;
    if (!ring->count)
        return bytes <= ring->capacity ? 0 : UINT32_MAX;
    uint32_t oldest = ring->offsets[ls_tick_ring_first(ring) % ring->ticks_max];
    bool is_wrapped = ring->end <= oldest;
    if (ring->end + bytes <= (is_wrapped ? oldest : ring->capacity))
        return ring->end;
    return !is_wrapped && bytes <= oldest ? 0 : UINT32_MAX;
}

/* Doubles the block and moves the kept frames to its beginning. */
static void grow(ls_tick_ring *ring)
{
    uint8_t *block = ls_alloc(2 * (size_t)ring->capacity);
    uint32_t end = 0;
    for (uint64_t tick = ls_tick_ring_first(ring); tick < ring->next; tick++) {
        ls_ticks_body body = ls_tick_ring_body(ring, tick);
        memcpy(block + end, body.data, body.bytes);
        ring->offsets[tick % ring->ticks_max] = end;
        end += body.bytes;
    }
    ls_free(ring->block);
    ring->block = block;
    ring->capacity *= 2;
    ring->end = end;
}

static void drop_oldest(ls_tick_ring *ring)
{
    if (ring->capacity < LS_SERVER_RING_BYTES) {
        grow(ring);
        return;
    }
    ring->count--;
    LS_ASSERT(ring->count + 1 >= LS_SERVER_RING_TICKS);
}

uint32_t ls_tick_ring_push(ls_tick_ring *ring, const ls_frame *frame)
{
    LS_ASSERT(frame->tick == ring->next);
    uint32_t bytes = (uint32_t)ls_frame_bytes(frame), place;
    LS_ASSERT(bytes <= LS_FRAME_BYTES_MAX);
    if (ring->count == ring->ticks_max)
        ring->count--;
    while ((place = find_place(ring, bytes)) == UINT32_MAX)
        drop_oldest(ring);
    ls_writer writer;
    ls_writer_init(&writer, ring->block + place, bytes);
    ls_frame_encode(frame, &writer);
    LS_ASSERT(!writer.failed && writer.count == bytes);
    uint32_t slot = (uint32_t)(ring->next % ring->ticks_max);
    ring->bytes[slot] = (uint16_t)bytes;
    ring->offsets[slot] = place;
    ring->end = place + bytes;
    ring->next++;
    ring->count++;
    return bytes;
}

uint32_t ls_tick_ring_window(const ls_tick_ring *ring, uint64_t ack, ls_ticks *ticks)
{
    uint64_t first = ls_tick_ring_first(ring);
    uint32_t bytes = 0, count = 0;
    while (count < LS_TICKS_WINDOW) {
        uint64_t newest = ring->next - count; /* one above the present tick */
        if (newest <= ack || newest <= first)
            break;
        ls_ticks_body body = ls_tick_ring_body(ring, newest - 1);
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
        bytes += ls_tick_ring_body(ring, first + fits).bytes;
        if (bytes > LS_TICKS_BODIES_BYTES_MAX)
            break;
        fits++;
    }
    for (uint32_t i = 0; i < fits; i++)
        ticks->bodies[i] = ls_tick_ring_body(ring, first + fits - 1 - i);
    ticks->first = first;
    ticks->count = fits;
    return fits;
}
