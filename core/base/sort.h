/* The engine's only sort. It is stable, so its result depends only on its input; the C library's
 * qsort does not promise that. It allocates no memory. */
#ifndef LS_SORT_H
#define LS_SORT_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_sort_item {
    uint64_t key;
    uint32_t value; /* moved with its key, never compared */
} ls_sort_item;

/* Sorts by ascending key; items with equal keys keep their order. For signed keys flip the top bit.
 *   shape   `items` and `scratch` hold `count` each, at most UINT32_MAX (asserted), and do not
 *           overlap; the contents of scratch are unspecified afterwards
 *   thread  any */
LS_API void ls_sort(ls_sort_item *items, ls_sort_item *scratch, size_t count);
/* Whether sorted items have the key. */
LS_API bool ls_sort_has(const ls_sort_item *items, uint32_t count, uint64_t key);

#ifdef __cplusplus
}
#endif

#endif
