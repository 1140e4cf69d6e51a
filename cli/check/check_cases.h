/* All cases of one match: the first alone, then the others beside each other. */
#ifndef LS_CHECK_CASES_H
#define LS_CHECK_CASES_H

#include "cli/check/check_case.h"

/* The result of a case. */
typedef struct ls_verdict {
    const ls_check_case_kind *kind;
    char name[32]; /* "shuffle-3" */
    const char *path;
    uint64_t seed; /* of its match */
    ls_random_inputs_mode mode;
    ls_status status;
    bool is_skipped;
    ls_error text;   /* of a failure, in lines; why it was left out */
    char note[160];  /* of a good one */
    char keeps[320]; /* of the first: variables that ticks changed, with their lines */
    uint64_t ticks, ns;
    uint64_t ticks_needed; /* to see a failure again */
} ls_verdict;

typedef struct ls_check_cases_config {
    uint32_t jobs; /* processes at a time */
    bool shows_progress;
    uint32_t match_index, match_count; /* for the progress */
} ls_check_cases_config;

/* cases[0] must be of the first kind. It runs alone and fills in `match`, which the others use; if
 * it fails, they are skipped. verdicts[i] is the result of cases[i]. */
void ls_check_cases_run(const ls_check_cases_config *config, ls_check_case_match *match,
                        const ls_check_case *cases, uint32_t count, ls_verdict *verdicts);

#endif
