/* Runs all cases of one match: the first alone, then the others in parallel. */
#ifndef LS_CHECK_CASES_H
#define LS_CHECK_CASES_H

#include "cli/check/check_case.h"

/* The verdict on one case. */
typedef struct ls_verdict {
    const ls_check_case_kind *kind;
    char name[32]; /* such as "shuffle-3" */
    const char *path;
    ls_match match;
    ls_random_inputs_mode mode;
    ls_status status;
    bool is_skipped;
    ls_error text;  /* why the case failed, in lines, or why it was skipped */
    char note[160]; /* a remark on a case that passed */
    /* The simulation's static variables that ticks changed, one a line; only of the first case. */
    char keeps[512];
    uint64_t ticks, ns;
    uint64_t ticks_needed; /* ticks to run to see the failure again */
} ls_verdict;

typedef struct ls_check_cases_config {
    uint32_t jobs; /* how many processes run at a time */
    bool shows_progress;
    /* cases that have not ended then are ended or not started; 0: no deadline */
    uint64_t deadline_ns;
    /* for the progress line, which shows the count only without a deadline */
    uint32_t match_index, match_count;
} ls_check_cases_config;

/* Runs the cases. cases[0] must be of the first kind: it runs alone and fills in `match`, which the
 * others use. If it fails, the others are skipped. Returns the number of verdicts: one for each
 * case in their order, except those that the deadline cut. */
uint32_t ls_check_cases_run(const ls_check_cases_config *config, ls_check_case_match *match,
                            const ls_check_case *cases, uint32_t count, ls_verdict *verdicts);

#endif
