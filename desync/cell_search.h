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
/* Whether the cells of the two can be compared.
 *   errors  INCOMPATIBLE: other components or lanes */
ls_status ls_cell_search_check(const ls_program *a, const ls_program *b,
                               ls_error *error) LS_MUST_USE;

/* Fills in entity, field, values and text of a suspect that says who and which column. */
void ls_cell_search_look(ls_variant_runner runners[2], const ls_frame *frame, ls_suspect *suspect);

#endif
