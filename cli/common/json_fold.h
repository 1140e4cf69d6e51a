/* Shortens the arrays of a JSON text, for a display without room for all items. */
#ifndef LS_JSON_FOLD_H
#define LS_JSON_FOLD_H

#include "core/base/builder.h"

#define LS_JSON_FOLD_DEPTH_MAX 16

/* Appends `json` to `text`. An array ends after the item that reaches `bytes_max`, with the number
 * of items left out: `[1, 2, +62 more]`.
 *   shape  json: well-formed; arrays nested deeper than LS_JSON_FOLD_DEPTH_MAX stay whole */
void ls_json_fold_arrays(const char *json, uint32_t bytes_max, ls_builder *text);

#endif
