/* The disk space that all rooms of a server share for evidence of desyncs and of failed matches. */
#ifndef LS_EVIDENCE_BUDGET_H
#define LS_EVIDENCE_BUDGET_H

#include <lockstep/server_stats.h>

/* Reserves space for one more file and returns its bytes; 0, with an error, when the budget is used
 * up. */
uint64_t ls_evidence_budget_reserve(ls_server_stats *stats, ls_error *error) LS_MUST_USE;
/* Returns unused bytes of a reservation to the budget. */
void ls_evidence_budget_release(ls_server_stats *stats, uint64_t bytes);

#endif
