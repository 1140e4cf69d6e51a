/* What the trials do, each in its child; cli/check/check_case.h has the words. Private to the
 * trials. */
#ifndef LS_CHECK_CASE_RUNS_H
#define LS_CHECK_CASE_RUNS_H

#include "cli/check/check_case.h"
#include "desync/rerun.h"

ls_status ls_check_case_base(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_repeat(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_threads(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_shuffle(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_roundtrip(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_rejoin(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_rollback(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_declared(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_process(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_other(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_describe(const ls_check_case *trial, ls_child *child, ls_error *error);
ls_status ls_check_case_validator(const ls_check_case *trial, ls_child *child, ls_error *error);

/* Runs all ticks that are left, and reports each: who waits has patience from one to the next. */
ls_status ls_check_case_finish(ls_child *child, ls_rerun *rerun, ls_error *error) LS_MUST_USE;
/* Runs all ticks of `config` and reports them; hands the state over when a root differs. */
ls_status ls_check_case_follow(ls_child *child, const ls_rerun_config *config, ls_error *error);

/* The match and the list of its first trial as bytes, and back. */
ls_status ls_check_case_hand_over(const ls_check_case_match *match, const ls_tick_list *list,
                                  ls_child *child, ls_error *error) LS_MUST_USE;
typedef struct ls_check_case_bequest {
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    ls_match match;
    ls_tick_list *list; /* owns  ls_tick_list_destroy by the caller */
} ls_check_case_bequest;
ls_status ls_check_case_take_over(int file, ls_check_case_bequest *bequest,
                                  ls_error *error) LS_MUST_USE;

#endif
