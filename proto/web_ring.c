#include "proto/web_ring.h"

#include <string.h>

static ls_web_record *record_at(const ls_web_ring *ring, uint32_t position)
{
    return (ls_web_record *)(void *)(ring->bytes + (position & (ring->capacity - 1)));
}

void ls_web_ring_init(ls_web_ring *ring, uint32_t bytes_min)
{
    uint32_t capacity = 1u << 16;
    while (capacity < bytes_min)
        capacity *= 2;
    *ring = (ls_web_ring){.bytes = ls_alloc(capacity), .capacity = capacity};
}

void ls_web_ring_reset(ls_web_ring *ring)
{
    ls_free(ring->bytes);
    *ring = (ls_web_ring){0};
}

bool ls_web_ring_add(ls_web_ring *ring, const ls_web_record *record, const void *data,
                     uint32_t spare)
{
    uint32_t end = atomic_load_explicit(&ring->end, memory_order_relaxed);
    /* Acquire: the other thread has read what was there before it is overwritten. */
    uint32_t begin = atomic_load_explicit(&ring->begin, memory_order_acquire);
    uint32_t size = ls_web_record_size(record->bytes),
             left = ring->capacity - (end & (ring->capacity - 1));
    uint32_t skipped = size > left ? left : 0, used = end - begin;
    if ((uint64_t)used + skipped + size + spare > ring->capacity)
        return false;
    if (skipped)
        record_at(ring, end)->kind = LS_WEB_RECORD_SKIP;
    ls_web_record *to = record_at(ring, end + skipped);
    *to = *record;
    if (record->bytes)
        memcpy(to + 1, data, record->bytes);
    /* Release: the thread that sees the new end sees the record. */
    atomic_store_explicit(&ring->end, end + skipped + size, memory_order_release);
    return true;
}

const ls_web_record *ls_web_ring_first(ls_web_ring *ring)
{
    uint32_t begin = atomic_load_explicit(&ring->begin, memory_order_relaxed);
    uint32_t end = atomic_load_explicit(&ring->end, memory_order_acquire);
    if (begin == end)
        return NULL;
    const ls_web_record *record = record_at(ring, begin);
    if (record->kind != LS_WEB_RECORD_SKIP)
        return record;
    begin += ring->capacity - (begin & (ring->capacity - 1));
    atomic_store_explicit(&ring->begin, begin, memory_order_release);
    LS_ASSERT(begin != end); /* a skip and the record after it are added at once */
    return record_at(ring, begin);
}

void ls_web_ring_drop(ls_web_ring *ring)
{
    uint32_t begin = atomic_load_explicit(&ring->begin, memory_order_relaxed);
    uint32_t size = ls_web_record_size(record_at(ring, begin)->bytes);
    atomic_store_explicit(&ring->begin, begin + size, memory_order_release);
}
