/* The byte form of planes, and code that writer and reader share. */
#ifndef LS_PLANES_INTERNAL_H
#define LS_PLANES_INTERNAL_H
#include "core/state/planes.h"
#include "core/state/world_state.h"

/* Bytes, little-endian: "LSPL", u16 version, 16 bytes fingerprint, u64 hash of the match, u64 root
 * of the base (0: none), u64 tick, u64 refused spawns of each lane, u64 dropped commands, events
 * and values; then for liveness, for each column in canonical order, for each baseline and
 * for each column of kept events:
 *     u32 number of pages
 *     for each page u32 lane << 16 | page, ascending
 *     for each page u64 presence[4], xor the presence in the base (liveness: u16 number of
 *     generations)
 *     byte 0 of all cells, xor the same bytes in the base, then byte 1 of all cells, and so on
 * at the end the u64 root. Pages that are equal in the base are not listed. A page has the cells of
 * its present slots, in slot order (liveness: the given number of generations from slot 0; the last
 * one differs from the base). Bytes that the base lacks count as zeros. */
#define LS_PLANES_VERSION 1u
#define LS_PLANES_MAGIC   "LSPL"

/* Reads planes into the world's state, which must equal the state of `base`, or be empty if `base`
 * is NULL. Sets `root` to the root that the bytes claim. On an error the caller must release the
 * state. */
LS_MUST_USE ls_status ls_planes_read(ls_world *world, const ls_snapshot *base,
                                     const ls_reader *bytes, uint64_t *root, ls_error *error);

/* Sets the first `count` bits. */
static inline void ls_planes_first_slots(uint64_t *slots, uint32_t count)
{
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++, count -= count < 64 ? count : 64)
        slots[word] = count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static inline uint32_t ls_planes_list_slots(const uint64_t *slots, uint8_t *list)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = slots[word]; bits; bits &= bits - 1)
            list[count++] = (uint8_t)(word * 64 + (uint32_t)__builtin_ctzll(bits));
    }
    return count;
}

/* The cell bytes of the largest page of the program. */
static inline size_t ls_planes_page_bytes(const ls_world *world)
{
    size_t max = 0;
    for (uint32_t column = 0; column < ls_column_total(world); column++) {
        size_t bytes = world->sources[column].cell_bytes * world->sources[column].cells;
        max = bytes > max ? bytes : max;
    }
    return max;
}

#endif
