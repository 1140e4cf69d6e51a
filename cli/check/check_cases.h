/* Runs all cases of one match: the first alone, then the others in parallel. */
#ifndef LS_CHECK_CASES_H
#define LS_CHECK_CASES_H

#include "cli/check/check_case.h"

/* The verdict on one case. */
typedef struct ls_verdict {
    const ls_check_case_kind *kind;
    char name[32]; /* such as "shuffle-3" */
    const char *path;
    uint64_t seed; /* the seed of the match */
    ls_random_inputs_mode mode;
    ls_status status;
    bool is_skipped;
    ls_error text;  /* why the case failed, in lines, or why it was skipped */
    char note[160]; /* a remark on a case that passed */
    /* Static variables that the ticks of the first case changed, with their lines. */
    char keeps[320];
    uint64_t ticks, ns;
    uint64_t ticks_needed; /* ticks to run to see the failure again */
} ls_verdict;

typedef struct ls_check_cases_config {
    uint32_t jobs; /* how many processes run at a time */
    bool shows_progress;
    uint32_t match_index, match_count; /* for the progress bar */
} ls_check_cases_config;

/* Runs the cases. cases[0] must be of the first kind: it runs alone and fills in `match`, which the
 * others use. If it fails, the others are skipped. verdicts[i] is the result of cases[i]. */
void ls_check_cases_run(const ls_check_cases_config *config, ls_check_case_match *match,
                        const ls_check_case *cases, uint32_t count, ls_verdict *verdicts);

#endif
