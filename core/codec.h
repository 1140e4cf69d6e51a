/* Cells as little-endian bytes, whatever the machine: what is hashed, sent and stored. */
#ifndef LS_CODEC_H
#define LS_CODEC_H

#include "core/component.h"

/* Copies `count` cells between the machine's order and little-endian; the same call goes both ways.
 */
void ls_cells_convert(const ls_component *component, const void *from, void *to, size_t count);
/* Hash of the little-endian bytes of `count` cells. */
uint64_t ls_cells_hash(const ls_component *component, const void *cells, size_t count);
/* Hash of `count` numbers as little-endian bytes. At most 16. */
uint64_t ls_words_hash(const uint64_t *words, size_t count);
bool ls_component_has_entities(const ls_component *component);
/* True when every LS_TYPE_BOOL in the cell is 0 or 1, the only bytes that C gives a meaning, and no
 * field is above its maximum. */
bool ls_cell_is_valid(const ls_component *component, const void *cell);

#endif
