/* Operations on one cell and its presence bit. Simulations do not call them; the inline functions
 * of include/lockstep/access.h do. */
#ifndef LS_CELL_H
#define LS_CELL_H

#include <lockstep/base.h>

#include <string.h>

enum { LS_PAGE_SLOTS = 256 }; /* slots in a page: consecutive slots of one lane */

/* Cells of these sizes, and tags, are copied without a call to memcpy(), as words that may overlap.
 * Every word is read before the first is written, because `value` may point to a cell of this
 * column, even to `cell` itself. */
enum { LS_CELL_BYTES_SMALLEST = 4, LS_CELL_BYTES_SMALL = 32 };

static inline bool ls_cell_is_small(size_t bytes)
{
    return bytes == 0 ||
           bytes - LS_CELL_BYTES_SMALLEST <= LS_CELL_BYTES_SMALL - LS_CELL_BYTES_SMALLEST;
}

static inline uint64_t ls_load_word_(const void *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline void ls_store_word_(void *to, uint64_t word)
{
    memcpy(to, &word, sizeof word);
}

/* Copies in words of 8 bytes on purpose. The caller has usually just written `value` member by
 * member. A wider load could not be forwarded from those narrow stores: it would wait until they
 * reach the cache. The empty asm statements stop compilers from merging the words; each has two
 * words, because a 32-bit processor has few registers. They also prevent warnings about reads past
 * `value` in branches that `bytes` rules out. */
static inline void ls_cell_copy(uint8_t *cell, const uint8_t *value, size_t bytes)
{
    __asm__("" : "+r"(value));
    if (bytes > 16) {
        uint64_t a = ls_load_word_(value), b = ls_load_word_(value + 8);
        uint64_t c = ls_load_word_(value + bytes - 16), d = ls_load_word_(value + bytes - 8);
        __asm__("" : "+r"(a), "+r"(b));
        __asm__("" : "+r"(c), "+r"(d));
        ls_store_word_(cell, a);
        ls_store_word_(cell + 8, b);
        ls_store_word_(cell + bytes - 16, c);
        ls_store_word_(cell + bytes - 8, d);
    } else if (bytes >= 8) {
        uint64_t a = ls_load_word_(value), b = ls_load_word_(value + bytes - 8);
        __asm__("" : "+r"(a), "+r"(b));
        ls_store_word_(cell, a);
        ls_store_word_(cell + bytes - 8, b);
    } else {
        uint32_t a, b;
        memcpy(&a, value, sizeof a);
        memcpy(&b, value + bytes - sizeof b, sizeof b);
        memcpy(cell, &a, sizeof a);
        memcpy(cell + bytes - sizeof b, &b, sizeof b);
    }
}

static inline void ls_cell_zero(uint8_t *cell, size_t bytes)
{
    if (bytes > 16) {
        memset(cell, 0, 16);
        memset(cell + bytes - 16, 0, 16);
    } else if (bytes >= 8) {
        memset(cell, 0, 8);
        memset(cell + bytes - 8, 0, 8);
    } else {
        memset(cell, 0, 4);
        memset(cell + bytes - 4, 0, 4);
    }
}

static inline uint64_t ls_slot_bit(uint32_t slot)
{
    return (uint64_t)1 << (slot % 64);
}

/* True when one of the page's other three presence words differs from `value`. */
static inline bool ls_presence_differs(const uint64_t *present, uint32_t word, uint64_t value)
{
    return present[word ^ 1] != value || present[word ^ 2] != value || present[word ^ 3] != value;
}

/* Put and take change one small cell and its presence bit in an open page. They return true when
 * the page became empty or full, or ceased to be so: the caller then updates the table's summary of
 * the page. Put copies `value`, or zeros the cell for NULL. */
static inline bool ls_cell_put(uint64_t *present, uint8_t *cells, uint32_t slot, size_t bytes,
                               const void *value)
{
    if (bytes && value)
        ls_cell_copy(cells + bytes * slot, (const uint8_t *)value, bytes);
    else if (bytes)
        ls_cell_zero(cells + bytes * slot, bytes);
    uint32_t word = slot / 64;
    uint64_t before = present[word], after = before | ls_slot_bit(slot);
    present[word] = after;
    if (LS_UNLIKELY(before == 0))
        return !ls_presence_differs(present, word, 0);
    if (LS_UNLIKELY(after == UINT64_MAX))
        return !ls_presence_differs(present, word, UINT64_MAX);
    return false;
}

/* Clears a cell that is present. */
static inline bool ls_cell_take(uint64_t *present, uint8_t *cells, uint32_t slot, size_t bytes)
{
    if (bytes)
        ls_cell_zero(cells + bytes * slot, bytes);
    uint32_t word = slot / 64;
    uint64_t before = present[word], after = before & ~ls_slot_bit(slot);
    present[word] = after;
    if (LS_UNLIKELY(after == 0))
        return !ls_presence_differs(present, word, 0);
    if (LS_UNLIKELY(before == UINT64_MAX))
        return !ls_presence_differs(present, word, UINT64_MAX);
    return false;
}

#endif
