/* Shortens the arrays of a JSON text for a display that has no room for all items. */
#ifndef LS_FOLD_H
#define LS_FOLD_H

#include "core/builder.h"

/* Adds `json`. An array ends after the item that reaches `bytes_max`, with the number of items left
 * out: `[1, 2, +62 more]`.
 *   shape  json: well-formed; arrays nested deeper than LS_FOLD_DEPTH_MAX stay whole */
#define LS_FOLD_H

#include "core/builder.h"

/* Adds `json` with each array cut after the item that reaches `bytes_max`, and the number of
 * items left out: `[1, 2, +62 more]`. An array keeps its first item at least, and is never cut for
 * one item that would fit in place of the number.
 *   shape  json: well-formed; what is nested deeper than LS_FOLD_DEPTH_MAX is not cut */
#define LS_FOLD_DEPTH_MAX 16
void ls_fold_arrays(const char *json, uint32_t bytes_max, ls_builder *text);

#endif
