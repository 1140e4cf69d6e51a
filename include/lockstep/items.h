/* Bounded arrays in a cell. The first `*count` of `capacity` items are in use. The rest is zero, so
 * that removed items do not affect hashes and snapshots. For members that are declared with
 * LS_FIELD_ITEMS: ls_items_push(LS_ITEMS(bag, things, count), &thing).
 *   shape   `count` and `at` from 0 to `capacity`, which is the length of the array
 *   errors  false, with nothing changed; a count above the capacity counts as a full array
 *   owns    the cell, which must be writable: LS_WRITE(), LS_WRITE_SPAN() */
#ifndef LS_ITEMS_H
#define LS_ITEMS_H

#include <lockstep/base.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_items {
    void *first;
    size_t item_bytes;
    uint32_t capacity;
    uint16_t *count;
} ls_items;

/* Describes the array `member` of the cell that `cell` points to, and its count. */
#define LS_ITEMS(cell, member, count_member)                                                       \
    ls_items_make((cell)->member, sizeof(cell)->member[0], LS_COUNT_OF((cell)->member),            \
                  &(cell)->count_member)

static inline ls_items ls_items_make(void *first, size_t item_bytes, size_t capacity,
                                     uint16_t *count)
{
    ls_items items;
    items.first = first;
    items.item_bytes = item_bytes;
    items.capacity = (uint32_t)capacity;
    items.count = count;
    return items;
}

static inline uint8_t *ls_items_at_(ls_items items, uint32_t at)
{
    return (uint8_t *)items.first + items.item_bytes * at;
}

/* Inserts a copy of `item` before index `at`, and keeps the order of the others; `at` == *count
 * appends. False when the array is full or `at` is beyond the end. `item` must not point into the
 * array. */
static inline bool ls_items_insert(ls_items items, uint32_t at, const void *item)
{
    uint32_t count = *items.count;
    if (count >= items.capacity || at > count)
        return false;
    memmove(ls_items_at_(items, at + 1), ls_items_at_(items, at), items.item_bytes * (count - at));
    memcpy(ls_items_at_(items, at), item, items.item_bytes);
    *items.count = (uint16_t)(count + 1);
    return true;
}

/* False when the array is full. */
static inline bool ls_items_push(ls_items items, const void *item)
{
    return ls_items_insert(items, *items.count, item);
}

/* Removes the item at index `at`, and keeps the order of the others. False when there is no such
 * item. */
static inline bool ls_items_remove(ls_items items, uint32_t at)
{
    uint32_t count = *items.count;
    if (count > items.capacity || at >= count)
        return false;
    memmove(ls_items_at_(items, at), ls_items_at_(items, at + 1),
            items.item_bytes * (count - 1 - at));
    memset(ls_items_at_(items, count - 1), 0, items.item_bytes);
    *items.count = (uint16_t)(count - 1);
    return true;
}

static inline void ls_items_clear(ls_items items)
{
    memset(items.first, 0, items.item_bytes * items.capacity);
    *items.count = 0;
}

#ifdef __cplusplus
}
#endif

#endif
