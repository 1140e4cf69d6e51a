/* Runs one row of `lockstep explain` in a process of its own. */
#ifndef LS_EXPLAIN_WORKER_H
#define LS_EXPLAIN_WORKER_H
#include "cli/explain/explain_rows.h"

/* `lockstep explain --row ORDER`: runs the row in this process, and does not return. */
LS_NO_RETURN void ls_explain_row_worker(const ls_explain_config *config, const char *order);

#endif
