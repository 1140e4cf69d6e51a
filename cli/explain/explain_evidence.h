/* Finds the system and the store of a tick with a second side that is not run here: the evidence, a
 * finding of the check executor, or the file. Each function gives the text of
 * ls_explain_where_find(), with its errors. */
#ifndef LS_EXPLAIN_EVIDENCE_H
#define LS_EXPLAIN_EVIDENCE_H

#include "cli/explain/explain_case.h"
#include "core/base/builder.h"
#include "desync/diagnosis.h"

/* Compares the row with the evidence's cells of the side whose result the row does not repeat. */
ls_status ls_explain_by_evidence(ls_explain_case *subject, const ls_explain_row *row,
                                 ls_builder *text, ls_error *error) LS_MUST_USE;

/* Finds the store of a known system into a cell of the evidence, preferably one of `component`.
 * Stores are watched in the first run of the tick, so that the simulation's allocations are still
 * as they were before the tick. */
ls_status ls_explain_by_cell(ls_explain_case *subject, const ls_explain_row *row,
                             const char *system, const char *component, ls_builder *text,
                             ls_error *error) LS_MUST_USE;

/* Finds the store that the check executor has reported. */
ls_status ls_explain_by_finding(ls_explain_case *subject, const ls_explain_row *row,
                                ls_builder *text, ls_error *error) LS_MUST_USE;

/* Runs up to `tick` once more and compares with the column hashes and states in the file, as
 * `lockstep verify` does. The text is that of ls_divergence_print(). */
ls_status ls_explain_by_file(ls_explain_case *subject, uint64_t tick, ls_builder *text,
                             ls_error *error) LS_MUST_USE;

#endif
