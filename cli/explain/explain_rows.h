/* The reruns of `lockstep explain`: each a process of its own, so that nothing which one of them
 * leaves behind reaches the next, and a crash is a result too. */
#ifndef LS_EXPLAIN_ROWS_H
#define LS_EXPLAIN_ROWS_H

#include "cli/common/child_process.h"
#include "cli/explain/explain_case.h"
#include "desync/diagnosis.h"

/* Which rows there are for this case; gives their count, at most LS_EXPLAIN_ROWS_MAX. */
uint32_t ls_explain_rows_plan(const ls_explain_case *the, uint32_t threads, ls_explain_row *rows);

/* Once these are run: the rows with filled memory once more, after them, where plain runs differ
 * though the simulation calls nothing that would. Gives the count of all. */
uint32_t ls_explain_rows_plan_again(const ls_explain_case *the, ls_explain_row *rows,
                                    uint32_t count);

/* Where a row of the plan begins, once the rows before it are known. False when there is nothing
 * that it could run, or nothing that another row does not; its text says why. */
bool ls_explain_row_place(const ls_explain_case *the, const ls_explain_row *rows, uint32_t count,
                          ls_explain_row *row);

/* Runs a row and fills in tick, root and text; `side` is CRASHED, FAILED, or NEITHER until the root
 * is compared. One that makes no progress for the case's patience is ended, and failed.
 *   errors  IO: no process */
ls_status ls_explain_row_run(const ls_explain_case *the, ls_explain_row *row,
                             ls_error *error) LS_MUST_USE;

/* Until the child has ended; its progress is that of who waits. `what` it does is for the bar, if
 * there is to be one; or NULL. */
void ls_explain_wait(const ls_explain_config *config, ls_child *child, const char *what);

/* The task of a row's process. */
typedef enum ls_explain_wish {
    LS_EXPLAIN_ROOT = 0, /* an ls_explain_row with the result */
    LS_EXPLAIN_STATE,    /* the state before `tick`, in its byte form */
    LS_EXPLAIN_WHERE,    /* ls_explain_where_find(): its text */
} ls_explain_wish;

/* Runs a row once more for something else than its root.
 *   errors  IO: no process; what the row fails with
 *   owns    ls_free(*bytes) */
ls_status ls_explain_row_take(const ls_explain_case *the, const ls_explain_row *row,
                              ls_explain_wish wish, uint64_t tick, uint8_t **bytes, size_t *count,
                              ls_error *error) LS_MUST_USE;

#endif
