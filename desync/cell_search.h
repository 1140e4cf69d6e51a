/* Finds the cell in which two runs of a known system differ. Both ticks are run again, and their
 * worlds are compared at the same point of the tick: the second tick runs inside a callback of the
 * first. */
#ifndef LS_CELL_SEARCH_H
#define LS_CELL_SEARCH_H

#include "desync/run_variant.h"
#include "desync/suspect.h"
#include "desync/tick_trace.h"

/* Returns the position in `there` of the system at `position` in `here`: the same number if both
 * are one program, else the position of the first system with the same name. For a run criterion it
 * is the first criterion with the same name. UINT32_MAX if there is none. */
uint32_t ls_cell_search_position(const ls_program *here, const ls_program *there,
                                 uint32_t position);
/* Returns the name of the system's stage; NULL for a run criterion. */
const char *ls_cell_search_stage(const ls_program *program, uint32_t position);
/* Checks that the cells of two programs can be compared.
 *   errors  INCOMPATIBLE: other components or lanes */
ls_status ls_cell_search_check(const ls_program *a, const ls_program *b,
                               ls_error *error) LS_MUST_USE;

/* Fills in entity, field, values and text of a suspect that already has its system and column. */
void ls_cell_search_look(ls_variant_runner runners[2], const ls_frame *frame, ls_suspect *suspect);

#endif
