/* Runs one row of `lockstep explain` in a process of its own. */
#ifndef LS_EXPLAIN_WORKER_H
#define LS_EXPLAIN_WORKER_H

#include "cli/explain/explain_case.h"

/* In a process that was started for a row, runs the row and does not return; returns at once in any
 * other. `row` is --row of the command line, or NULL. */
void ls_explain_row_worker(const ls_explain_config *config, const char *row);

#endif
