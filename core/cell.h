/* Writing one cell and its bit of presence in a page that is open: what every attach and detach
 * ends with. */
#ifndef LS_CELL_H
#define LS_CELL_H

#include "core/entity.h"
#include "core/page.h"

#include <string.h>

/* Cells of 4 to 32 bytes are copied without a call, as two halves that may overlap: `value` may be
 * a cell of this column, even this very one, so all is read before anything is written. */
enum { LS_CELL_SMALL_BYTES = 32 };

static inline bool ls_cell_is_small(size_t bytes)
{
    return bytes - sizeof(uint32_t) <= LS_CELL_SMALL_BYTES - sizeof(uint32_t) || bytes == 0;
}

static inline void ls_cell_copy(uint8_t *cell, const uint8_t *value, size_t bytes)
{
    struct {
        uint64_t low, high;
    } wide_first, wide_last;
    uint64_t first, last;
    uint32_t short_first, short_last;
    if (bytes >= sizeof wide_first) {
        memcpy(&wide_first, value, sizeof wide_first);
        memcpy(&wide_last, value + bytes - sizeof wide_last, sizeof wide_last);
        memcpy(cell, &wide_first, sizeof wide_first);
        memcpy(cell + bytes - sizeof wide_last, &wide_last, sizeof wide_last);
    } else if (bytes >= sizeof first) {
        memcpy(&first, value, sizeof first);
        memcpy(&last, value + bytes - sizeof last, sizeof last);
        memcpy(cell, &first, sizeof first);
        memcpy(cell + bytes - sizeof last, &last, sizeof last);
    } else {
        memcpy(&short_first, value, sizeof short_first);
        memcpy(&short_last, value + bytes - sizeof short_last, sizeof short_last);
        memcpy(cell, &short_first, sizeof short_first);
        memcpy(cell + bytes - sizeof short_last, &short_last, sizeof short_last);
    }
}

extern const uint8_t ls_cell_zeros[LS_CELL_SMALL_BYTES];

/* Zeroes the cells of `bits` in word `word` of the page. A call of memset() for each small cell
 * would cost more than all the rest. */
static inline void ls_cells_zero(ls_page *page, size_t bytes, uint32_t word, uint64_t bits)
{
    uint8_t *cells = ls_page_cells(page) + bytes * 64 * word;
    if (bits == UINT64_MAX) {
        memset(cells, 0, bytes * 64);
        return;
    }
    for (; bytes && bits; bits &= bits - 1) {
        uint8_t *cell = cells + bytes * (uint32_t)__builtin_ctzll(bits);
        if (ls_cell_is_small(bytes))
            ls_cell_copy(cell, ls_cell_zeros, bytes);
        else
            memset(cell, 0, bytes);
    }
}

static inline uint64_t ls_slot_bit(uint32_t slot)
{
    return (uint64_t)1 << (slot % 64);
}

/* Both say whether a word of presence became empty or full, after which the page's summaries have
 * to follow: ls_store_settle(). The page is the entity's and open, the cell small, the entity
 * alive. NULL zeros the cell. */
static inline bool ls_cell_put(ls_page *page, ls_entity entity, size_t bytes, const void *value)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    if (bytes)
        ls_cell_copy(ls_page_cells(page) + bytes * slot, value ? value : ls_cell_zeros, bytes);
    uint64_t *word = &page->present[slot / 64], before = *word, after = before | ls_slot_bit(slot);
    *word = after;
    return (before == 0 || after == UINT64_MAX) && after != before;
}

/* The reverse, of a cell that is there. */
static inline bool ls_cell_take(ls_page *page, ls_entity entity, size_t bytes)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    if (bytes)
        ls_cell_copy(ls_page_cells(page) + bytes * slot, ls_cell_zeros, bytes);
    uint64_t *word = &page->present[slot / 64], before = *word;
    *word = before & ~ls_slot_bit(slot);
    return *word == 0 || before == UINT64_MAX;
}

#endif
