/* The cases that run this program and module, each in a process of its own. */
#ifndef LS_CHECK_CASE_RUNS_H
#define LS_CHECK_CASE_RUNS_H

#include "cli/check/check_case.h"
#include "desync/rerun.h"

ls_status ls_check_case_base(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_repeat(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_threads(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_interleave(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_shuffle(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_roundtrip(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_rejoin(const ls_check_case *self, ls_child *child, ls_error *error);
/* The helper of rejoin: runs the match up to the tick of the join, and hands over the state. */
ls_status ls_check_case_host(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_rollback(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_declared(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_describe(const ls_check_case *self, ls_child *child, ls_error *error);

/* Runs all remaining ticks and reports each, because the parent measures the time since the last
 * tick. */
ls_status ls_check_case_finish(ls_child *child, ls_rerun *rerun, ls_error *error) LS_MUST_USE;
/* Runs all ticks of `config` and reports them. If a root differs, hands over the state. */
ls_status ls_check_case_follow(ls_child *child, const ls_rerun_config *config, ls_error *error);

#endif
