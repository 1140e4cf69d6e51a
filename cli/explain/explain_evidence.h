/* Inside of a tick, from what others have said of it: the evidence, the check executor, or the
 * file. Each gives the text of ls_explain_where_find(), with its errors. */
#ifndef LS_EXPLAIN_EVIDENCE_H
#define LS_EXPLAIN_EVIDENCE_H

#include "cli/explain/explain_case.h"
#include "core/base/builder.h"
#include "desync/diagnosis.h"

/* Against the cells of the side that the row does not repeat. */
ls_status ls_explain_by_evidence(ls_explain_case *the, const ls_explain_row *row, ls_builder *text,
                                 ls_error *error) LS_MUST_USE;

/* The store of a system that is known, into a cell of the evidence; of those of `component`, if
 * there are any. The tick is not run before its stores are watched, so that what the simulation
 * allocated is still what it was. */
ls_status ls_explain_by_cell(ls_explain_case *the, const ls_explain_row *row, const char *system,
                             const char *component, ls_builder *text, ls_error *error) LS_MUST_USE;

/* The store that the check executor has found. */
ls_status ls_explain_by_finding(ls_explain_case *the, const ls_explain_row *row, ls_builder *text,
                                ls_error *error) LS_MUST_USE;

/* Against the column hashes and states that the file holds, as `lockstep verify` does; the text
 * is that of ls_divergence_tell(). */
ls_status ls_explain_by_file(ls_explain_case *the, uint64_t tick, ls_builder *text,
                             ls_error *error) LS_MUST_USE;

#endif
