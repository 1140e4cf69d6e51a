/* The rows of `lockstep explain`: reruns of the ticks. Each row runs in a separate process, so that
 * it cannot affect the next one, and a crash is a result too. */
#ifndef LS_EXPLAIN_ROWS_H
#define LS_EXPLAIN_ROWS_H

#include "cli/explain/explain_process.h"
#include "desync/diagnosis.h"

/* Plans the rows for this case; returns their number, at most LS_EXPLAIN_ROWS_MAX. */
uint32_t ls_explain_rows_plan(const ls_explain_case *subject, uint32_t threads,
                              ls_explain_row *rows);

/* Called when the first rows have run. If plain runs differ although the simulation calls nothing
 * that explains it, plans the rows with filled memory once more. Returns the new number of rows. */
uint32_t ls_explain_rows_plan_again(const ls_explain_case *subject, ls_explain_row *rows,
                                    uint32_t count);

/* Sets where a planned row begins, once the earlier rows have run. False when the row has nothing
 * to run or would only repeat another; its text gives the reason. */
bool ls_explain_row_place(const ls_explain_case *subject, const ls_explain_row *rows,
                          uint32_t count, ls_explain_row *row);

/* Runs a row and fills in tick, root and text; `side` is CRASHED, FAILED, or NEITHER until the root
 * is compared. A row that makes no progress for the case's time limit is ended and counts as
 * failed.
 *   errors  IO: no process could be started */
ls_status ls_explain_row_run(const ls_explain_case *subject, ls_explain_row *row,
                             ls_error *error) LS_MUST_USE;

/* Runs a row once more for another result, which `output` names.
 *   errors  IO: no process could be started; those of the row
 *   owns    ls_free(*bytes) */
ls_status ls_explain_row_take(const ls_explain_case *subject, const ls_explain_row *row,
                              ls_explain_output output, uint64_t tick, uint8_t **bytes,
                              size_t *count, ls_error *error) LS_MUST_USE;

#endif
