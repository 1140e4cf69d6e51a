/* The process of one rerun of `lockstep explain`. */
#ifndef LS_EXPLAIN_WORKER_H
#define LS_EXPLAIN_WORKER_H
#include "cli/explain/explain_rows.h"

/* `lockstep explain --row ORDER`: runs the rerun in this process, and does not return. */
LS_NO_RETURN void ls_explain_row_worker(const ls_explain_config *config, const char *order);

#endif
