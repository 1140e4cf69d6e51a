#include "core/base/sort.h"

#include <string.h>

/* A radix sort, least significant byte first. It skips bytes that are equal in all keys; keys such
 * as grid cells or slots differ in few of their eight bytes. Short arrays use an insertion or a
 * merge sort, both also stable, because the 256 counters of a pass would cost more than the
 * items. */
enum {
    DIGITS = 256,
    INSERTION_COUNT = 16,
    DIGITS_COUNT = 64, /* radix sort pays off from this many items per pass */
};

static bool is_sorted(const ls_sort_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i - 1].key > items[i].key)
            return false;
    return true;
}

static void sort_by_insertion(ls_sort_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        ls_sort_item item = items[i];
        size_t hole = i;
        for (; hole > 0 && items[hole - 1].key > item.key; hole--)
            items[hole] = items[hole - 1];
        items[hole] = item;
    }
}

/* Merges the sorted halves of `from`; among equal keys the left half comes first. It has no branch
 * on the keys, because such a branch is unpredictable. */
static void merge(const ls_sort_item *from, size_t middle, size_t count, ls_sort_item *to)
{
    size_t left = 0, right = middle;
    while (left < middle && right < count) {
        bool take_right = from[right].key < from[left].key;
        *to++ = from[take_right ? right : left];
        right += take_right;
        left += !take_right;
    }
    memcpy(to, from + left, (middle - left) * sizeof *to);
    to += middle - left;
    memcpy(to, from + right, (count - right) * sizeof *to);
}

static void sort_by_merging(ls_sort_item *items, ls_sort_item *scratch, size_t count)
{
    for (size_t start = 0; start < count; start += INSERTION_COUNT) {
        size_t left = count - start;
        sort_by_insertion(items + start, left < INSERTION_COUNT ? left : INSERTION_COUNT);
    }
    ls_sort_item *from = items, *to = scratch;
    for (size_t width = INSERTION_COUNT; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t left = count - start;
            size_t both = left < 2 * width ? left : 2 * width;
            merge(from + start, width < both ? width : both, both, to + start);
        }
        ls_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

static void scatter(const ls_sort_item *from, ls_sort_item *to, size_t count, unsigned shift)
{
    uint32_t next[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        next[(uint8_t)(from[i].key >> shift)]++;
    uint32_t sum = 0;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t here = next[digit];
        next[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[next[(uint8_t)(from[i].key >> shift)]++] = from[i];
}

static void sort_by_digits(ls_sort_item *items, ls_sort_item *scratch, size_t count,
                           uint64_t differing)
{
    ls_sort_item *from = items, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((uint8_t)(differing >> shift) == 0)
            continue;
        scatter(from, to, count, shift);
        ls_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* The bits that are not equal in all keys. */
static uint64_t differing_bits(const ls_sort_item *items, size_t count)
{
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++)
        differing |= items[i].key ^ items[0].key;
    return differing;
}

static size_t count_passes(uint64_t differing)
{
    size_t passes = 0;
    for (; differing; differing >>= 8)
        passes += (uint8_t)differing != 0;
    return passes;
}

void ls_sort(ls_sort_item *items, ls_sort_item *scratch, size_t count)
{
    LS_ASSERT(count <= UINT32_MAX);
    if (is_sorted(items, count))
        return;
    if (count <= INSERTION_COUNT) {
        sort_by_insertion(items, count);
        return;
    }
    uint64_t differing = differing_bits(items, count);
    if (count < DIGITS_COUNT * count_passes(differing))
        sort_by_merging(items, scratch, count);
    else
        sort_by_digits(items, scratch, count, differing);
}

bool ls_sort_has(const ls_sort_item *items, uint32_t count, uint64_t key)
{
    uint32_t first = 0, end = count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (items[middle].key < key)
            first = middle + 1;
        else
            end = middle;
    }
    return first < count && items[first].key == key;
}
