/* One cell and its bit of presence. Not for simulations: include/lockstep/access.h uses it inside
 * their calls.
 */
#ifndef LS_CELL_H
#define LS_CELL_H

#include <lockstep/base.h>

#include <string.h>

enum { LS_PAGE_SLOTS = 256 }; /* a page's entities: 256 consecutive slots of a lane */

/* Cells of these sizes, and tags, are copied without a call: as words that may overlap. All words
 * are read before the first is written, because `value` may be a cell of this column, even this
 * one. */
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

/* Copies words of 8 bytes on purpose. A value was mostly written just before, member by member; a
 * wider load would have to wait until those narrow stores have left the processor. The empty
 * statements keep compilers from joining the words, and from warning about reads past the value in
 * branches that `bytes` rules out. */
static inline void ls_cell_copy(uint8_t *cell, const uint8_t *value, size_t bytes)
{
    __asm__("" : "+r"(value));
    if (bytes > 16) {
        uint64_t a = ls_load_word_(value), b = ls_load_word_(value + 8);
        uint64_t c = ls_load_word_(value + bytes - 16), d = ls_load_word_(value + bytes - 8);
        __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
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

/* Whether some other word of the page's presence is not `value`. */
static inline bool ls_presence_differs(const uint64_t *present, uint32_t word, uint64_t value)
{
    return present[word ^ 1] != value || present[word ^ 2] != value || present[word ^ 3] != value;
}

/* Both change one small cell and its presence bit in an open page. They return true when the whole
 * page was empty or full before, or is so now: the caller then updates the table's summary of the
 * page. A NULL value zeroes the cell. */
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

/* The reverse of ls_cell_put(), for a cell that is present. */
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
