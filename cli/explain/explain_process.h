/* Starts another run of this program that works on a row of explain, in the surroundings that the
 * row asks for. */
#ifndef LS_EXPLAIN_PROCESS_H
#define LS_EXPLAIN_PROCESS_H

#include "cli/common/child_process.h"
#include "cli/explain/explain_order.h"

/* Why this system runs no such row; NULL: it does. */
const char *ls_explain_process_refuses(const ls_explain_row *row);

/* Starts a process for the order.
 *   errors  IO
 *   owns    ls_child_reset() */
ls_status ls_explain_process_start(ls_child *child, const ls_explain_order *order,
                                   ls_error *error) LS_MUST_USE;

/* Works on the order of this process with `run`, whose argument is an ls_explain_order, and does
 * not return; returns at once in a process that was started otherwise. `config` and `text` are what
 * the command line says: `text` is its --row, or NULL. */
void ls_explain_process_work(const ls_explain_config *config, const char *text,
                             ls_child_function *run);

#endif
