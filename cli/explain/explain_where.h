/* Finds system, cell, store and line in the tick in which a row differs. */
#ifndef LS_EXPLAIN_WHERE_H
#define LS_EXPLAIN_WHERE_H

#include "cli/explain/explain_rows.h"
#include "core/base/builder.h"

/* The roots before `tick` differ. Runs the ticks before tick - 1 serially, then tick - 1 in two
 * variants that differ as the row differs from a plain run. If one process cannot run both, the
 * second state comes from another process of the row. `text` becomes that of ls_result_pack().
 *   errors  those of reruns; NOT_FOUND: this time the two variants do not differ
 *   owns    ls_free(text->data)
 *   thread  as ls_write_watch_begin() */
ls_status ls_explain_where_find(ls_explain_case *subject, const ls_explain_row *row, uint64_t tick,
                                ls_builder *text, ls_error *error) LS_MUST_USE;

#endif
