#include <lockstep/root_ring.h>

void ls_root_ring_init(ls_root_ring *ring, uint64_t first_tick)
{
    ring->own_tick = first_tick;
    ring->compared_tick = first_tick;
}

void ls_root_ring_push(ls_root_ring *ring, uint64_t root)
{
    LS_ASSERT(ring->own_tick - ring->compared_tick < LS_COUNT_OF(ring->values));
    ring->values[ring->own_tick++ % LS_COUNT_OF(ring->values)] = root;
}

bool ls_root_ring_compare(ls_root_ring *ring, const ls_recording_roots *roots,
                          ls_root_difference *difference)
{
    if (roots->count == 0)
        return true;
    LS_ASSERT(roots->first_tick >= ring->compared_tick &&
              roots->first_tick + roots->count <= ring->own_tick);
    ring->compared_tick = roots->first_tick;
    for (uint32_t i = 0; i < roots->count; i++, ring->compared_tick++) {
        uint64_t found = ring->values[ring->compared_tick % LS_COUNT_OF(ring->values)];
        if (found == roots->values[i])
            continue;
        *difference = (ls_root_difference){ring->compared_tick, roots->values[i], found};
        return false;
    }
    return true;
}
