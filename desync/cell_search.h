/* Finds the cell in which two runs of a known system differ. Both ticks are run again, the second
 * inside of the first, and compared when both are at the same point. */
#ifndef LS_CELL_SEARCH_H
#define LS_CELL_SEARCH_H

#include "desync/run_variant.h"
#include "desync/suspect.h"
#include "desync/tick_trace.h"

/* The position in `there` of the system at `position` in `here`: the same position if both are one
 * program, else that of the first system of that name. UINT32_MAX when there is none. */
uint32_t ls_cell_search_position(const ls_program *here, const ls_program *there,
                                 uint32_t position);
/* NULL for a criterion's. */
const char *ls_cell_search_stage(const ls_program *program, uint32_t position);
bool ls_cell_search_lanes_agree(const ls_program *a, const ls_program *b);

/* The place in words, from component, field, item and entity: `place.x of beasts/3:1`.
 *   owns    ls_free() by the caller */
char *ls_cell_search_place(const ls_suspect *suspect, const ls_program *program);

/* Fills in entity, field, values and text of a suspect that says who and which column. */
void ls_cell_search_look(ls_variant_runner runners[2], const ls_frame *frame, ls_suspect *suspect);

#endif
