/* Finds, from two states after one tick, the system and the store that made them differ. */
#ifndef LS_EXPLAIN_CLAIMS_H
#define LS_EXPLAIN_CLAIMS_H

#include "desync/first_difference.h"

/* Finds the cell whose system stored first, among the cells that the variant's tick leaves
 * different from `other`.
 *   errors  NOT_FOUND: none differs; those of ls_first_difference_find_cell()
 *   owns    ls_first_difference_reset(), not after an error */
ls_status ls_explain_find_among(const ls_run_variant *variant, const ls_frame *frame,
                                ls_world *other, ls_first_difference *difference,
                                ls_error *error) LS_MUST_USE;

#endif
