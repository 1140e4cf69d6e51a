/* What the trials do, each in its child; cli/trial.h has the words. Private to the trials. */
#ifndef LS_TRIAL_RUNS_H
#define LS_TRIAL_RUNS_H

#include "cli/trial.h"
#include "desync/rerun.h"

ls_status ls_trial_base(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_repeat(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_threads(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_shuffle(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_roundtrip(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_rejoin(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_rollback(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_declared(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_process(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_other(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_describe(const ls_trial *trial, ls_child *child, ls_error *error);
ls_status ls_trial_validator(const ls_trial *trial, ls_child *child, ls_error *error);

/* Runs all ticks that are left, and reports each: who waits has patience from one to the next. */
ls_status ls_trial_finish(ls_child *child, ls_rerun *rerun, ls_error *error) LS_MUST_USE;
/* Runs all ticks of `config` and reports them; hands the state over when a root differs. */
ls_status ls_trial_follow(ls_child *child, const ls_rerun_config *config, ls_error *error);

/* The match and the list of its first trial as bytes, and back. */
ls_status ls_trial_hand_over(const ls_trial_match *match, const ls_tick_list *list, ls_child *child,
                             ls_error *error) LS_MUST_USE;
typedef struct ls_trial_bequest {
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    ls_match match;
    ls_tick_list *list; /* owns  ls_tick_list_destroy by the caller */
} ls_trial_bequest;
ls_status ls_trial_take_over(int file, ls_trial_bequest *bequest, ls_error *error) LS_MUST_USE;

#endif
