/* Finds the known name that is nearest to a mistyped one, for "Did you mean ...?". */
#ifndef LS_SUGGEST_H
#define LS_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many letters must be inserted, removed, replaced or swapped with their neighbour to
 * turn one text into the other. Texts are compared up to their 63rd byte. */
uint32_t ls_edit_distance(const char *a, const char *b);

/* Returns the nearest of `names`, the first if several are equally near; NULL if none is near
 * enough. */
const char *ls_suggest(const char *typed, const char *const *names, size_t count);

#endif
