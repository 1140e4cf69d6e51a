/* The one sort of the engine: stable, so that its result is a function of the input alone, which
 * the C library's qsort does not promise. Takes no memory of its own. */
#ifndef LS_SORT_H
#define LS_SORT_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_sort_item {
    uint64_t key;
    uint32_t value; /* carried along, never compared */
} ls_sort_item;

/* Sorts by ascending key; items of one key keep their order. Signed keys: flip the top bit.
 *   shape   `items` and `scratch` hold `count` each, at most UINT32_MAX (asserted), and do not
 *           overlap; scratch ends with unspecified contents
 *   thread  any */
LS_API void ls_sort(ls_sort_item *items, ls_sort_item *scratch, size_t count);

#ifdef __cplusplus
}
#endif

#endif
